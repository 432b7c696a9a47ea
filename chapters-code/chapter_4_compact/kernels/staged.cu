// The same pass, with the selected elements put side by side in shared memory before they are written:
// neighbouring threads then write neighbouring elements. They get there while the block looks back.
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
    __shared__ T stage[THREADS / 32 * Chunk::ITEMS];
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
    chunk.load(in, (size_t(tile) * (THREADS / 32) + warp_id()) * Chunk::ITEMS, n, by);
    Before<u32> warps = scan_warps<Sum<u32>>(aggregates, chunk.count());
    // ANCHOR_END: count
    // ANCHOR: stage
    chunk.each_selected([&](u32 i, T x) { stage[warps.warp + i] = x; });
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
    size_t index = before_tile;
    for (u32 i = threadIdx.x; i < warps.block_aggregate; i += THREADS) {
        out.put(index + i, stage[i]);
    }
    // ANCHOR_END: store
}

#define KERNEL(by, By, type) \
    extern "C" __global__ void LAUNCH_BOUNDS by##_##type(PARAMETERS(type), u64* status, \
                                                         unsigned* counter) { \
        compact(in, OUTPUT(type), n, CHOICE(By, type), status, counter); \
    }
FOR_EACH_CHOICE(KERNEL)
