// Several elements per thread, 16 bytes per load: a thread scans its own elements without asking anyone.
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n, dtype* sums)
// Launch: ceil(n * sizeof(dtype) / 16384) blocks (at least 1) of 256 threads, no dynamic shared memory;
// in and out 16-byte aligned. Block b writes the scan of its 16384 bytes, and their aggregate to sums[b].
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "warp_chunk.cuh"

constexpr unsigned THREADS = 256;
constexpr unsigned ROWS = 4;

// ANCHOR: scan
template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, T* sums) {
    __shared__ T aggregates[32];
    size_t first = size_t(blockIdx.x) * THREADS * ROWS + warp_id() * 32 * ROWS;
    WarpChunk<T, ROWS> chunk;
    chunk.template load<Op>({const_cast<T*>(in), n}, first);
    T before[ROWS];
    T aggregate = chunk.template scan<Op>(before);
    Before<T> warps = scan_warps<Op>(aggregates, aggregate);
    chunk.template store<KIND, Op>({out, n}, first, warps.warp, before);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = warps.block_aggregate;
    }
}
// ANCHOR_END: scan

FOR_EVERY_RUNG(BLOCKS_KERNEL)
// The aggregates of blocks are scanned in the same way, but exclusively.
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, u32)
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, f64)
BLOCKS_KERNEL(exclusive, Exclusive, max, Max, i32)
