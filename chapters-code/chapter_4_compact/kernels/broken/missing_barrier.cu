// Broken: the barrier that lets all know what comes before the tile stands before the staged elements are
// written, so that nothing stops a thread from reading what another has not yet put there.
//
// mask_b32, arguments and launch as lookback.cu.
#define LAUNCH_BOUNDS __launch_bounds__(256, 4)
#include "../../../chapter_3_scan/kernels/look_back.cuh"
#include "../selected.cuh"

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
    // ANCHOR: stage
    __syncthreads();
    chunk.each_selected([&](u32 i, T x) { stage[warps.warp + i] = x; });
    size_t index = before_tile;
    for (u32 i = threadIdx.x; i < warps.block_aggregate; i += THREADS) {
        out.put(index + i, stage[i]);
    }
    // ANCHOR_END: stage
}

extern "C" __global__ void LAUNCH_BOUNDS mask_b32(PARAMETERS(b32), u64* status, unsigned* counter) {
    compact(in, OUTPUT(b32), n, CHOICE(Mask, b32), status, counter);
}
