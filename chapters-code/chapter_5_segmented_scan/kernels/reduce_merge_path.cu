// Segmented reduce along the merge path: every warp gets as many elements and segment ends together as any other.
//
// <op>_<dtype>(const dtype* in, dtype* out, size_t n, const u32* offsets, u32 segments,
//              dtype* open, u32* first, unsigned* counter)
// Launch: any number of blocks of 256 threads, no dynamic shared memory; in 16-byte aligned. open and
// first have an element a block; counter is 0, and is again afterwards. Launches on it must not overlap;
// after one that was stopped, zero it. n and segments are 2^32 - 65,537 at most, see merge_path.cuh. out is
// as in reduce_thread_per_segment.cu.
#define LAUNCH_BOUNDS __launch_bounds__(256, 4)
#include "merge_path.cuh"

// ANCHOR: source
template <typename T> struct Elements {
    const T* in;

    template <typename Op> __device__ Pack<T> load(size_t i, size_t begin, size_t stop) const {
        if (begin <= i && i + Pack<T>::size <= stop) {
            return load_pack<T>(reinterpret_cast<const uint4*>(in + i));
        }
        Pack<T> pack;
#pragma unroll
        for (unsigned k = 0; k < Pack<T>::size; k++) {
            pack.elements[k] = begin <= i + k && i + k < stop ? in[i + k] : Op::identity();
        }
        return pack;
    }
};
// ANCHOR_END: source

#define KERNEL(name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS name##_##dtype( \
        const dtype* __restrict__ in, dtype* out, size_t n, const u32* __restrict__ offsets, \
        u32 segments, dtype* open, u32* first, unsigned* counter) { \
        merge_path<Op<dtype>, dtype>(Elements<dtype>{in}, out, n, offsets, segments, {open, first}, \
                                   counter); \
    }
FOR_EVERY_SEGMENT_REDUCTION(KERNEL)
