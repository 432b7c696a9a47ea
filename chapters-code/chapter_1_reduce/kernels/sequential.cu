// The tree folded in halves: thread k adds the element half an array away.
//
// interleaved_strided had conflicts because neighbouring lanes reached for words 2, 4, 8, …
// apart. Halving the array from the top keeps them on neighbouring words, each in a bank of its
// own, and keeps the threads at work at the front.
//
// Invariant: before the step with stride s, the fold of shared[0 … 2s - 1] is that of the block.
//
// Entry points <op>_<dtype>(const dtype* in, Acc* out, size_t n), such as sum_f32; <op> is sum, max, min,
// product, and, or. The macros at the end make them.
// Launch: ceil(n / block) blocks (at least 1), block a power of two <= 1024, dynamic shared memory
// block * sizeof(Acc). Writes out[b] for each block b.
#include "operators.cuh"

template <typename Op, typename T> __device__ void reduce(const T* in, Acc<T>* out, size_t n) {
    Acc<T>* shared = shared_array<Acc<T>>();
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    shared[tid] = i < n ? widen(in[i]) : Op::identity();
    __syncthreads();

    // ANCHOR: steps
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            shared[tid] = Op::combine(shared[tid], shared[tid + stride]);
        }
        __syncthreads();
    }
    // ANCHOR_END: steps

    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}

FOR_SUM_MAX_MIN(REDUCE_KERNEL)
FOR_PRODUCT_AND_OR(REDUCE_KERNEL)
