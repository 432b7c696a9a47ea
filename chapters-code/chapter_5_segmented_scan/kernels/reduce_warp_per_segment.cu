// Segmented reduce, one warp per segment: coalesced from 32 elements on.
//
// <op>_<dtype>(const dtype* in, dtype* out, const u32* offsets, u32 segments)
// Launch: ceil(32 * segments / block) blocks of a multiple of 32 threads, no dynamic shared memory. out
// is as in reduce_thread_per_segment.cu.
#include "reduce.cuh"

// ANCHOR: reduce
template <typename Op, typename T>
__device__ void reduce(const T* in, T* out, const u32* offsets, u32 segments) {
    size_t s = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    if (s < segments) {
        u32 end = offsets[s + 1];
        T aggregate = Op::identity();
        for (size_t i = size_t(offsets[s]) + lane_id(); i < end; i += 32) {
            aggregate = Op::combine(aggregate, in[i]);
        }
        aggregate = warp_reduce<Op>(aggregate);
        if (lane_id() == 0) {
            out[s] = aggregate;
        }
    }
}
// ANCHOR_END: reduce

FOR_EVERY_SEGMENT_REDUCTION(REDUCE_SEGMENTS_KERNEL)
