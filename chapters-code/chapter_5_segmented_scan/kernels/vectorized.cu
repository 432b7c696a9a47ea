// Several elements per thread, 16 bytes per load, and head flags as bits: an eighth of a byte per element
// instead of a whole one.
//
// <kind>_<op>_<dtype>(const dtype* in, const u32* bits, dtype* out, size_t n,
//                     dtype* values, u8* heads, u32* reached)
// Launch: ceil(n * sizeof(dtype) / 16384) blocks (at least 1) of 256 threads, no dynamic shared memory;
// in and out 16-byte aligned; bits has ceil(n / 32) words, and is 0 from bit n on. What block b
// writes is as in hillis_steele.cu.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "segmented_chunk.cuh"

constexpr unsigned THREADS = 256;
constexpr unsigned ROWS = 4;

// ANCHOR: scan
template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, const u32* bits, T* out, size_t n, Aggregates<T> aggregates) {
    __shared__ T values[32];
    __shared__ bool heads[32];
    __shared__ unsigned reached;
    if (threadIdx.x == 0) {
        reached = 0;
    }
    size_t first = size_t(blockIdx.x) * THREADS * ROWS + warp_id() * 32 * ROWS;
    SegmentedChunk<T, ROWS> chunk;
    chunk.template load<Op>({const_cast<T*>(in), n}, bits, first);
    Pair<T> aggregate = chunk.template scan<Op>();
    InBlock<T> in_block = scan_warps<Op>(values, heads, aggregate);
    chunk.template store<KIND, Op>({out, n}, first, in_block.before_warp.value);
    // ANCHOR_END: scan
    atomicAdd(&reached, in_block.before_warp.head ? 0 : chunk.reached());
    __syncthreads();
    if (threadIdx.x == 0) {
        aggregates.write(in_block.block, reached);
    }
}

FOR_EVERY_SCAN(BITS_KERNEL)
