// For few elements: tiles of 8 KiB, so that a small array has a tile for every multiprocessor. All blocks are resident,
// so a block's number is its tile's, and the tags are the launch's number, so nothing is zeroed before a launch.
//
// A tile publishes its pair once and no prefix. A look-back ends at the nearest tile with a head. So the order of all
// operations is fixed, and sums of floats are the same bits in every run. Op must be commutative.
//
// <kind>_<op>_<dtype>(const dtype* in, const u32* bits, dtype* out, size_t n, u64* status, u32* launches)
// Launch: cooperative, min(tiles, what the device holds at once) blocks of 512 threads, with
// tiles = ceil(n * sizeof(dtype) / 8192), and tiles > 0; no dynamic shared memory; in and out 16-byte aligned; bits as
// for vectorized.cu. WORDS words of status for each tile, and a word of launches for each block, all zero before the
// first launch. They belong together, and to one n, as those of chapter 3's all_gather.cu.
#define LAUNCH_BOUNDS __launch_bounds__(512, 4)
#include "../../chapter_3_scan/kernels/tagged.cuh"
#include "reduce.cuh"
#include "segmented_chunk.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned ROWS = 1;

constexpr u32 HEAD = 1; // the tile's aggregate begins at a head: no tile before it counts

// ANCHOR: open_before
// What is open before a tile, by one warp. Lane 0 looks at the tile just before it, lane 31 at the 32nd before it.
// All wait until no tile up to the nearest one with a head is missing.
template <typename Op, typename T> __device__ T open_before(const u64* status, size_t tile, u32 epoch) {
    T open = Op::identity();
    for (long long last = (long long)tile - 1;; last -= 32) {
        long long mine = last - lane_id();
        u32 known, heads, needed;
        Tagged<T> seen(Op::identity(), epoch << 1 | HEAD); // before the first tile lies nothing
        do {
            if (mine >= 0) {
                seen = look<T>(status + mine * WORDS<T>);
            }
            bool is_known = seen.is_whole() && seen.tag() >> 1 == epoch;
            known = __ballot_sync(ALL_LANES, is_known);
            heads = __ballot_sync(ALL_LANES, is_known && (seen.tag() & HEAD) != 0);
            needed = heads ^ (heads - 1); // lanes up to the lowest of heads; all, if there is none
        } while ((known & needed) != needed);
        bool counts = needed >> lane_id() & 1;
        open = Op::combine(warp_reduce<Op>(counts ? seen.value() : Op::identity()), open);
        if (heads != 0) {
            return open;
        }
    }
}
// ANCHOR_END: open_before

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, const u32* bits, T* out, size_t n, u64* status, u32* launches) {
    constexpr unsigned ELEMENTS = THREADS * ROWS * Pack<T>::size;
    __shared__ T values[32];
    __shared__ bool heads[32];
    __shared__ T open_before_tile;
    size_t tiles = (n + ELEMENTS - 1) / ELEMENTS;
    // ANCHOR: publish
    u32 epoch = warp_id() == 0 ? next_epoch(launches[blockIdx.x]) : 0;
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        size_t first = tile * THREADS * ROWS + warp_id() * 32 * ROWS;
        SegmentedChunk<T, ROWS> chunk;
        chunk.template load<Op>({const_cast<T*>(in), n}, bits, first);
        Pair<T> aggregate = chunk.template scan<Op>();
        InBlock<T> in_block = scan_warps<Op>(values, heads, aggregate);
        if (warp_id() == 0) {
            if (lane_id() == 0) {
                u32 head = in_block.block.head || tile == 0 ? HEAD : 0;
                publish(status + tile * WORDS<T>, in_block.block.value, epoch << 1 | head);
            }
            T open = open_before<Op, T>(status, tile, epoch);
            if (lane_id() == 0) {
                open_before_tile = open;
            }
        }
        __syncthreads();
        Pair<T> before = combine<Op>(Pair<T>{open_before_tile, false}, in_block.before_warp);
        chunk.template store<KIND, Op>({out, n}, first, before.value);
    }
    if (threadIdx.x == 0) {
        launches[blockIdx.x] = epoch;
    }
    // ANCHOR_END: publish
}

#define KERNEL(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS kind##_##name##_##dtype( \
        const dtype* __restrict__ in, const u32* __restrict__ bits, dtype* __restrict__ out, \
        size_t n, u64* status, u32* launches) { \
        scan<Kind::KIND, Op<dtype>>(in, bits, out, n, status, launches); \
    }
FOR_EVERY_SUM(KERNEL)
