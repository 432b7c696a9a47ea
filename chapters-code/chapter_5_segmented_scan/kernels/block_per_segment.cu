// One block per segment: coalesced, but a block of 256 threads has little to do in a short one, and a long
// one has a block to itself while the others are done.
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, const u32* offsets, u32 segments)
// Launch: as many blocks as segments, of a multiple of 32 threads, no dynamic shared memory.
#include "flagged.cuh"

// ANCHOR: scan
template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, const u32* offsets, u32 segments) {
    __shared__ T aggregates[32];
    u32 begin = offsets[blockIdx.x], end = offsets[blockIdx.x + 1];
    T carry = Op::identity();
    for (size_t first = begin; first < end; first += blockDim.x) {
        size_t i = first + threadIdx.x;
        T x = i < end ? in[i] : Op::identity();
        T scanned = warp_scan<Op>(x);
        Before<T> before = scan_warps<Op>(aggregates, scanned);
        T prefix = Op::combine(Op::combine(carry, before.warp), before_lane<Op>(scanned));
        if (i < end) {
            out[i] = result<KIND, Op>(prefix, x);
        }
        carry = Op::combine(carry, before.block_aggregate);
        __syncthreads(); // all have read the aggregates
    }
}
// ANCHOR_END: scan

FOR_EVERY_SCAN(OFFSETS_KERNEL)
