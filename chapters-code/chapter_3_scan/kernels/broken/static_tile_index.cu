// Broken: look-back whose tiles are numbered by blockIdx. CUDA promises no order in which blocks start;
// here they are counted from the other end, as a device might start them. As soon as the device does not
// hold all blocks at once, those that it holds wait for one that cannot start.
//
// inclusive_sum_f32, launch and results as lookback.cu, with tiles of 8 KiB. On a GPU it never ends.
#define LAUNCH_BOUNDS __launch_bounds__(512, 2)
#include "../share.cuh"
#include "../tagged.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned ROWS = 1;

// What a slot's tag says of its value. Zeroed memory says that nothing is there yet.
constexpr u32 FOLD = 1;   // it is the tile's fold
constexpr u32 PREFIX = 2; // it is the fold of the tile and of all before it

// ANCHOR: look_back
// Called by one warp: the fold of all tiles before `tile`. Lane l looks at the l-th tile before; they
// all wait until no tile up to the nearest PREFIX is missing.
template <typename Op, typename T> __device__ T look_back(const u64* status, unsigned tile) {
    T prefix = Op::identity();
    for (long long last = (long long)tile - 1;; last -= 32) {
        long long mine = last - 31 + lane_id(); // the nearest tile is lane 31's
        unsigned known, nearest, needed;
        Tagged<T> seen = {Op::identity(), PREFIX, true}; // before the first tile lies nothing
        do {
            if (mine >= 0) {
                seen = look<T>(status + mine * WORDS<T>);
            }
            known = __ballot_sync(ALL_LANES, seen.whole && seen.tag != 0);
            nearest = __ballot_sync(ALL_LANES, seen.whole && seen.tag == PREFIX);
            needed = nearest == 0 ? ALL_LANES : ALL_LANES << (31 - __clz(nearest));
        } while ((known & needed) != needed);
        bool counts = needed >> lane_id() & 1;
        T window = warp_scan<Op>(counts ? seen.value : Op::identity());
        prefix = Op::combine(__shfl_sync(ALL_LANES, window, 31), prefix);
        if (nearest != 0) {
            return prefix;
        }
    }
}
// ANCHOR_END: look_back

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, u64* status) {
    __shared__ T folds[32];
    __shared__ T before_tile;
    // ANCHOR: tile
    unsigned tile = gridDim.x - 1 - blockIdx.x;
    // ANCHOR_END: tile
    size_t first = size_t(tile) * THREADS * ROWS + warp_id() * 32 * ROWS;
    Share<T, ROWS> share;
    share.template load<Op>({const_cast<T*>(in), n}, first);
    T before[ROWS];
    T fold = share.template scan<Op>(before);
    Before<T> warps = scan_warps<Op>(folds, fold);
    // ANCHOR: publish
    if (warp_id() == 0) {
        if (lane_id() == 0) {
            publish(status + tile * size_t(WORDS<T>), warps.block_fold, tile == 0 ? PREFIX : FOLD);
        }
        T prefix = look_back<Op, T>(status, tile);
        if (lane_id() == 0) {
            T with_tile = Op::combine(prefix, warps.block_fold);
            publish(status + tile * size_t(WORDS<T>), with_tile, PREFIX);
            before_tile = prefix;
        }
    }
    __syncthreads();
    // ANCHOR_END: publish
    share.template store<KIND, Op>({out, n}, first, Op::combine(before_tile, warps.warp), before);
}

extern "C" __global__ void LAUNCH_BOUNDS inclusive_sum_f32(
    const f32* __restrict__ in, f32* __restrict__ out, size_t n, u64* status, unsigned*) {
    scan<Kind::Inclusive, Sum<f32>>(in, out, n, status);
}
