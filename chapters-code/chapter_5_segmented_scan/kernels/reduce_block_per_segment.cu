// Segmented reduce, one block per segment: the way of libraries that reduce many long rows.
//
// <op>_<dtype>(const dtype* in, dtype* out, const u32* offsets, u32 segments)
// Launch: as many blocks as segments, of a multiple of 32 threads, no dynamic shared memory. out is as
// in reduce_thread_per_segment.cu.
#include "reduce.cuh"

// ANCHOR: reduce
template <typename Op, typename T>
__device__ void reduce(const T* in, T* out, const u32* offsets, u32 segments) {
    __shared__ T aggregates[32];
    u32 end = offsets[blockIdx.x + 1];
    T aggregate = Op::identity();
    for (size_t i = size_t(offsets[blockIdx.x]) + threadIdx.x; i < end; i += blockDim.x) {
        aggregate = Op::combine(aggregate, in[i]);
    }
    aggregate = warp_reduce<Op>(aggregate);
    if (lane_id() == 0) {
        aggregates[warp_id()] = aggregate;
    }
    __syncthreads();
    if (warp_id() == 0) {
        aggregate = lane_id() < blockDim.x / 32 ? aggregates[lane_id()] : Op::identity();
        aggregate = warp_reduce<Op>(aggregate);
        if (lane_id() == 0) {
            out[blockIdx.x] = aggregate;
        }
    }
}
// ANCHOR_END: reduce

FOR_EVERY_SEGMENT_REDUCTION(REDUCE_SEGMENTS_KERNEL)
