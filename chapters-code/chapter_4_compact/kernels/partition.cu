// Partition: what is selected comes first, in order; what is not goes to the other end, last first, because
// how many are selected is known only when all have been counted. So no block need wait for that number.
//
// <by>_<type>(const type* in, type* out, size_t n, size_t capacity, u64* selected, const void* mask, u64 pivot,
//             u64* status, unsigned* counter)
// Launch: a block for each 8192 elements, or 4096 of 8 bytes; 256 threads, no dynamic shared memory; n > 0;
// in and mask 16-byte aligned. Before it, in the same stream: two zeroed words of status a block, and
// counter 0.
#define LAUNCH_BOUNDS __launch_bounds__(256, 4)
#include "../../chapter_3_scan/kernels/look_back.cuh"
#include "selected.cuh"

constexpr unsigned THREADS = 256;
// Quads a thread: at most 128 bytes.
template <typename T> constexpr unsigned ROWS = sizeof(T) == 8 ? 4 : 8;

template <typename By, typename T>
__device__ void compact(const T* in, Output<T> out, size_t n, By by, u64* status, unsigned* counter) {
    using Chunk = Selected<T, ROWS<T>>;
    constexpr unsigned TILE = THREADS / 32 * Chunk::ITEMS;
    __shared__ T stage[TILE];
    __shared__ u32 aggregates[32];
    __shared__ i64 before_tile;
    __shared__ unsigned next;
    if (threadIdx.x == 0) {
        next = atomicAdd(counter, 1);
    }
    __syncthreads();
    unsigned tile = next;
    // ANCHOR: count
    Chunk chunk;
    chunk.load(in, size_t(tile) * TILE + warp_id() * Chunk::ITEMS, n, by);
    Before<u32> warps = scan_warps<Sum<u32>>(aggregates, chunk.count());
    // ANCHOR_END: count
    // ANCHOR: stage
    // Of the tile, what is selected, then what is not.
    u32 first = warp_id() * Chunk::ITEMS;
    chunk.each([&](u32 i, u32 index, u32 select, T x) {
        u32 selected_before = warps.warp + index;
        if (select) {
            stage[selected_before] = x;
        } else if (tile * size_t(TILE) + first + i < n) {
            stage[warps.block_aggregate + first + i - selected_before] = x;
        }
    });
    // ANCHOR_END: stage
    if (warp_id() == 0) {
        i64 aggregate = warps.block_aggregate;
        if (lane_id() == 0) {
            publish(status + tile * size_t(WORDS<i64>), aggregate, tile == 0 ? PREFIX : AGGREGATE);
        }
        i64 prefix = look_back<Sum<i64>, i64>(status, tile);
        if (lane_id() == 0) {
            publish(status + tile * size_t(WORDS<i64>), prefix + aggregate, PREFIX);
            before_tile = prefix;
            if (tile == gridDim.x - 1) {
                *out.selected = prefix + aggregate;
            }
        }
    }
    __syncthreads();
    // ANCHOR: store
    size_t selected_before = before_tile, others_before = tile * size_t(TILE) - selected_before;
    u32 in_tile = u32(min(n - tile * size_t(TILE), size_t(TILE)));
    for (u32 i = threadIdx.x; i < in_tile; i += THREADS) {
        size_t other = others_before + (i - warps.block_aggregate);
        out.put(i < warps.block_aggregate ? selected_before + i : n - 1 - other, stage[i]);
    }
    // ANCHOR_END: store
}

#define KERNEL(by, By, type) \
    extern "C" __global__ void LAUNCH_BOUNDS by##_##type(PARAMETERS(type), u64* status, \
                                                         unsigned* counter) { \
        compact(in, OUTPUT(type), n, CHOICE(By, type), status, counter); \
    }
FOR_EACH_CHOICE(KERNEL)
