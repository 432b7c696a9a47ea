// Two elements per thread: the first addition happens on the way into shared memory.
//
// In sequential, half of the threads only load. Here a block of B threads covers 2 B elements, and
// every thread reduces two before the first barrier: half as many blocks, and one step of the tree
// less for each element.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n)
// Launch: ceil(n / (2 * block)) blocks (at least 1), block a power of two <= 1024, dynamic shared
// memory block * sizeof(Acc). Writes out[b] for each block b.
#include "operators.cuh"

// ANCHOR: kernel
template <typename Op, typename T> __device__ void reduce(const T* in, Acc<T>* out, size_t n) {
    Acc<T>* shared = shared_array<Acc<T>>();
    unsigned tid = threadIdx.x;
    // ANCHOR: load
    size_t i = size_t(blockIdx.x) * (2 * blockDim.x) + tid;
    size_t j = i + blockDim.x;
    Acc<T> x = i < n ? widen(in[i]) : Op::identity();
    Acc<T> y = j < n ? widen(in[j]) : Op::identity();
    shared[tid] = Op::combine(x, y);
    // ANCHOR_END: load
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            shared[tid] = Op::combine(shared[tid], shared[tid + stride]);
        }
        __syncthreads();
    }

    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
// ANCHOR_END: kernel

FOR_SUM_MAX_MIN(REDUCE_KERNEL)
FOR_PRODUCT_AND_OR(REDUCE_KERNEL)
