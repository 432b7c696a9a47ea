// Decoupled look-back (Merrill and Garland 2016): one pass. A block scans its tile, publishes the
// tile's fold, and looks back over the tiles before it until it meets one whose whole prefix is known.
//
// Tiles are numbered as blocks come, by an atomic, not by blockIdx: a block then waits only for tiles
// whose blocks are running or done, whatever order the device starts blocks in.
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n, u64* status, unsigned* counter)
// Launch: ceil(n * sizeof(dtype) / 65536) blocks of 512 threads, no dynamic shared memory; in and out
// 16-byte aligned. Before it, in the same stream: WORDS zeroed words of status a block, and counter 0.
#define LAUNCH_BOUNDS __launch_bounds__(512, 2)
#include "share.cuh"
#include "tagged.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned ROWS = 8;

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
__device__ void scan(const T* in, T* out, size_t n, u64* status, unsigned* counter) {
    __shared__ T folds[32];
    __shared__ T before_tile;
    __shared__ unsigned next;
    // ANCHOR: tile
    if (threadIdx.x == 0) {
        next = atomicAdd(counter, 1);
    }
    __syncthreads();
    unsigned tile = next;
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

#define KERNEL_OF(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS kind##_##name##_##dtype( \
        const dtype* __restrict__ in, dtype* __restrict__ out, size_t n, u64* status, \
        unsigned* counter) { \
        scan<Kind::KIND, Op<dtype>>(in, out, n, status, counter); \
    }
#define KERNEL(name, Op, dtype) \
    KERNEL_OF(inclusive, Inclusive, name, Op, dtype) \
    KERNEL_OF(exclusive, Exclusive, name, Op, dtype)
FOR_EACH_OPERATOR(KERNEL)
