// Segmented reduce, several lanes per segment: as many as the mean length needs, each with four loads of 16 bytes in
// flight.
//
// <op>_<dtype>(const dtype* in, dtype* out, const u32* offsets, u32 segments)
// Launch: ceil(segments / blockDim.y) blocks of (lanes, rows) threads, whole warps; lanes is a power of two up to 32;
// no dynamic shared memory; in 16-byte aligned. out is as in reduce_thread_per_segment.cu.
#include "lanes.cuh"

// ANCHOR: reduce
template <typename Op, typename T>
__device__ void reduce(const T* in, T* out, const u32* offsets, u32 segments) {
    size_t s = size_t(blockIdx.x) * blockDim.y + threadIdx.y;
    // Lanes without a segment stay, with no elements: the shuffles need all lanes.
    bool has_segment = s < segments;
    size_t begin = has_segment ? offsets[s] : 0, end = has_segment ? offsets[s + 1] : 0;
    T aggregate = lanes_reduce<Op>(reduce_elements<Op>(in, begin, end), blockDim.x);
    if (threadIdx.x == 0 && has_segment) {
        out[s] = aggregate;
    }
}
// ANCHOR_END: reduce

FOR_EVERY_SEGMENT_REDUCTION(REDUCE_SEGMENTS_KERNEL)
