// One thread scans everything, in order: the sequential algorithm, on a GPU.
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n)
// Launch: one block of one thread, no dynamic shared memory. Writes out[0 .. n].
#include "operators.cuh"

// ANCHOR: scan
template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n) {
    T prefix = Op::identity();
    for (size_t i = 0; i < n; i++) {
        out[i] = result<KIND, Op>(prefix, in[i]);
    }
}
// ANCHOR_END: scan

#define KERNEL(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void kind##_##name##_##dtype(const dtype* __restrict__ in, \
                                                       dtype* __restrict__ out, size_t n) { \
        scan<Kind::KIND, Op<dtype>>(in, out, n); \
    }
FOR_EVERY_RUNG(KERNEL)
FOR_OTHER_INCLUSIVE(KERNEL)
FOR_OTHER_EXCLUSIVE(KERNEL)
