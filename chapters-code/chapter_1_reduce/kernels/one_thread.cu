// One thread folds everything, in order: the sequential algorithm, on a GPU.
//
// The kernel that shows what a GPU is not: one lane of one warp works, on one of the device's
// multiprocessors, and each addition waits for the one before.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n); also product, and, or
// Launch: 1 block of 1 thread. Writes out[0].
#include "operators.cuh"

// ANCHOR: kernel
template <typename Op, typename T> __device__ void reduce(const T* in, Acc<T>* out, size_t n) {
    Acc<T> total = Op::identity();
    for (size_t i = 0; i < n; i++) {
        total = Op::combine(total, widen(in[i]));
    }
    out[0] = total;
}
// ANCHOR_END: kernel

FOR_SUM_MAX_MIN(REDUCE_KERNEL)
FOR_PRODUCT_AND_OR(REDUCE_KERNEL)
