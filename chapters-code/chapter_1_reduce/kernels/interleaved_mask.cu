// The same tree, with a mask in place of the remainder.
//
// interleaved_modulo divides in every step to learn whether a thread has work. A power of two needs
// no division: the low bits of the thread index tell. The warps diverge as before.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n)
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
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if ((tid & (2 * stride - 1)) == 0) {
            shared[tid] = Op::combine(shared[tid], shared[tid + stride]);
        }
        __syncthreads();
    }
    // ANCHOR_END: steps

    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}

FOR_EVERY_REDUCTION(REDUCE_KERNEL)
