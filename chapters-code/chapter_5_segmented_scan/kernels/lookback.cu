// One pass: decoupled look-back, as in chapter 3, over pairs. A tile in which a segment begins publishes
// its prefix at once: the aggregate from its last head on, which no earlier tile changes. So a look-back
// stops there. The tile itself still looks back, for its elements before its first head.
//
// <kind>_<op>_<dtype>(const dtype* in, const u32* bits, dtype* out, size_t n, u64* status,
//                     unsigned* counter)
// Launch: ceil(n * sizeof(dtype) / 65536) blocks of 512 threads, no dynamic shared memory; in and out
// 16-byte aligned; bits as for vectorized.cu. Before it, in the same stream: WORDS zeroed words of
// status a block, and counter 0.
#define LAUNCH_BOUNDS __launch_bounds__(512, 2)
#include "../../chapter_3_scan/kernels/look_back.cuh"
#include "segmented_chunk.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned ROWS = 8;

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, const u32* bits, T* out, size_t n, u64* status,
                     unsigned* counter) {
    __shared__ T values[32];
    __shared__ bool heads[32];
    __shared__ T open_before_tile;
    __shared__ unsigned next;
    if (threadIdx.x == 0) {
        next = atomicAdd(counter, 1);
    }
    __syncthreads();
    unsigned tile = next;
    // The first pack of the warp's chunk, counted in packs.
    size_t first = size_t(tile) * THREADS * ROWS + warp_id() * 32 * ROWS;
    SegmentedChunk<T, ROWS> chunk;
    chunk.template load<Op>({const_cast<T*>(in), n}, bits, first);
    Pair<T> aggregate = chunk.template scan<Op>();
    InBlock<T> in_block = scan_warps<Op>(values, heads, aggregate);
    Pair<T> own = in_block.block;
    // ANCHOR: publish
    if (warp_id() == 0) {
        u64* slot = status + tile * size_t(WORDS<T>);
        bool is_known = own.head || tile == 0;
        if (lane_id() == 0) {
            publish(slot, own.value, is_known ? PREFIX : AGGREGATE);
        }
        T before = look_back<Op, T>(status, tile);
        if (lane_id() == 0) {
            if (!is_known) {
                publish(slot, Op::combine(before, own.value), PREFIX);
            }
            open_before_tile = before;
        }
    }
    __syncthreads();
    // ANCHOR_END: publish
    Pair<T> before = combine<Op>(Pair<T>{open_before_tile, false}, in_block.before_warp);
    chunk.template store<KIND, Op>({out, n}, first, before.value);
}

#define KERNEL(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS kind##_##name##_##dtype( \
        const dtype* __restrict__ in, const u32* __restrict__ bits, dtype* __restrict__ out, \
        size_t n, u64* status, unsigned* counter) { \
        scan<Kind::KIND, Op<dtype>>(in, bits, out, n, status, counter); \
    }
FOR_EVERY_SCAN(KERNEL)
KERNEL(inclusive, Inclusive, sum, Sum, i32)
KERNEL(inclusive, Inclusive, sum, Sum, f64)
KERNEL(inclusive, Inclusive, max, Max, f32)
