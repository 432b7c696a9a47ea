// Segmented reduce, one thread per segment.
//
// <op>_<dtype>(const dtype* in, dtype* out, const u32* offsets, u32 segments)
// Launch: ceil(segments / block) blocks, no dynamic shared memory. out[s] is the aggregate of segment s, the
// identity where it is empty.
#include "reduce.cuh"

// ANCHOR: reduce
template <typename Op, typename T>
__device__ void reduce(const T* in, T* out, const u32* offsets, u32 segments) {
    size_t s = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (s < segments) {
        T aggregate = Op::identity();
        for (u32 i = offsets[s]; i < offsets[s + 1]; i++) {
            aggregate = Op::combine(aggregate, in[i]);
        }
        out[s] = aggregate;
    }
}
// ANCHOR_END: reduce

FOR_EVERY_SEGMENT_REDUCTION(REDUCE_SEGMENTS_KERNEL)
FOR_OTHER_SEGMENT_REDUCTIONS(REDUCE_SEGMENTS_KERNEL)
