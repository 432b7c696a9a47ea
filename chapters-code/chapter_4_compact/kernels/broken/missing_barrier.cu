// Broken: the barrier that lets all know what comes before the tile stands before the staged elements are
// written, so that nothing keeps a thread from reading what another has not yet put there.
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
    using Share = Picked<T, ROWS<T>>;
    __shared__ T stage[THREADS / 32 * Share::SHARE];
    __shared__ u32 folds[32];
    __shared__ i64 before_tile;
    __shared__ unsigned next;
    if (threadIdx.x == 0) {
        next = atomicAdd(counter, 1);
    }
    __syncthreads();
    unsigned tile = next;
    // ANCHOR: count
    Share share;
    share.load(in, (size_t(tile) * (THREADS / 32) + warp_id()) * Share::SHARE, n, by);
    Before<u32> warps = scan_warps<Sum<u32>>(folds, share.count());
    // ANCHOR_END: count
    if (warp_id() == 0) {
        i64 fold = warps.block_fold;
        if (lane_id() == 0) {
            publish(status + tile * size_t(WORDS<i64>), fold, tile == 0 ? PREFIX : FOLD);
        }
        i64 prefix = look_back<Sum<i64>, i64>(status, tile);
        if (lane_id() == 0) {
            publish(status + tile * size_t(WORDS<i64>), prefix + fold, PREFIX);
            before_tile = prefix;
            if (tile == gridDim.x - 1) {
                *out.kept = prefix + fold;
            }
        }
    }
    // ANCHOR: stage
    __syncthreads();
    share.each_kept([&](u32 i, T x) { stage[warps.warp + i] = x; });
    size_t place = before_tile;
    for (u32 i = threadIdx.x; i < warps.block_fold; i += THREADS) {
        out.put(place + i, stage[i]);
    }
    // ANCHOR_END: stage
}

extern "C" __global__ void LAUNCH_BOUNDS mask_b32(PARAMETERS(b32), u64* status, unsigned* counter) {
    compact(in, OUTPUT(b32), n, CHOICE(Mask, b32), status, counter);
}
