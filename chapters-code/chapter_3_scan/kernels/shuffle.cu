// A block's scan by shuffles: five steps in registers for each warp, and five for the warps' aggregates.
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n, dtype* sums)
// Launch: ceil(n / block) blocks (at least 1), block a multiple of 32 up to 1024, no dynamic shared
// memory. Block b writes the scan of its block elements, and their aggregate to sums[b].
#include "warp_scan.cuh"

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, T* sums) {
    __shared__ T aggregates[32];
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    // ANCHOR: block
    T x = i < n ? in[i] : Op::identity();
    T scanned = warp_scan<Op>(x);
    Before<T> before = scan_warps<Op>(aggregates, scanned);
    T prefix = Op::combine(before.warp, before_lane<Op>(scanned));
    if (i < n) {
        out[i] = result<KIND, Op>(prefix, x);
    }
    // ANCHOR_END: block
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = before.block_aggregate;
    }
}

FOR_EVERY_RUNG(BLOCKS_KERNEL)
// The aggregates of blocks are scanned in the same way, but exclusively.
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, u32)
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, f64)
BLOCKS_KERNEL(exclusive, Exclusive, max, Max, i32)
