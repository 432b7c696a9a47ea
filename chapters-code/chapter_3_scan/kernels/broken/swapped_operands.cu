// Broken: a warp's scan that combines an element with what comes before it, instead of the other way
// round. No sum, no maximum and no product notices.
//
// <kind>_<op>_<dtype>, launch and results as shuffle.cu.
#include "../warp_scan.cuh"

// ANCHOR: warp_scan
template <typename Op, typename T> __device__ T swapped_scan(T x) {
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        T before = __shfl_up_sync(ALL_LANES, x, offset);
        if (lane_id() >= offset) {
            x = Op::combine(x, before);
        }
    }
    return x;
}
// ANCHOR_END: warp_scan

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, T* sums) {
    __shared__ T aggregates[32];
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    T x = i < n ? in[i] : Op::identity();
    T scanned = swapped_scan<Op>(x);
    Before<T> before = scan_warps<Op>(aggregates, scanned);
    T prefix = Op::combine(before.warp, before_lane<Op>(scanned));
    if (i < n) {
        out[i] = result<KIND, Op>(prefix, x);
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = before.block_aggregate;
    }
}

BOTH_KINDS(BLOCKS_KERNEL, sum, Sum, f32)
BOTH_KINDS(BLOCKS_KERNEL, affine, Affine, i64)
