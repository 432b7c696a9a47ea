// Segmented reduce of segments of one length that are shorter than 16 bytes: a thread takes as many segments as a
// pack has elements. They begin at a multiple of 16 bytes, and their results are one pack.
//
// <op>_<dtype>(const dtype* in, dtype* out, u32 length, u32 segments)
// Launch: ceil(segments / (block * pack size)) blocks, no dynamic shared memory; in and out 16-byte aligned; length at
// least 1. out is as in reduce_thread_per_segment.cu.
#include "lanes.cuh"

// ANCHOR: reduce
template <typename Op, typename T>
__device__ void reduce(const T* in, T* out, u32 length, u32 segments) {
    constexpr unsigned SIZE = Pack<T>::size;
    size_t pack = size_t(blockIdx.x) * blockDim.x + threadIdx.x, first = pack * SIZE; // segment
    if (first + SIZE > segments) {
        for (size_t s = first; s < segments; s++) {
            T aggregate = Op::identity();
            for (u32 i = 0; i < length; i++) {
                aggregate = Op::combine(aggregate, in[s * length + i]);
            }
            out[s] = aggregate;
        }
        return;
    }
    Pack<T> results;
    T open = Op::identity();
    u32 missing = length; // elements until the segment ends
    for (u32 p = 0; p < length; p++) {
        Pack<T> elements = load_pack<T>(reinterpret_cast<const uint4*>(in) + pack * length + p);
#pragma unroll
        for (unsigned k = 0; k < SIZE; k++) {
            open = Op::combine(open, elements.elements[k]);
            if (--missing == 0) {
                // Results move up by one: registers have no index at run time.
#pragma unroll
                for (unsigned r = 1; r < SIZE; r++) {
                    results.elements[r - 1] = results.elements[r];
                }
                results.elements[SIZE - 1] = open;
                open = Op::identity();
                missing = length;
            }
        }
    }
    uint4 words;
    memcpy(&words, &results, sizeof words);
    reinterpret_cast<uint4*>(out)[pack] = words;
}
// ANCHOR_END: reduce

#define KERNEL(name, Op, dtype) \
    extern "C" __global__ void name##_##dtype(const dtype* __restrict__ in, \
                                              dtype* __restrict__ out, u32 length, u32 segments) { \
        reduce<Op<dtype>, dtype>(in, out, length, segments); \
    }
FOR_EVERY_SEGMENT_REDUCTION(KERNEL)
