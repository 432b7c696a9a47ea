// A tree in shared memory: in step k, every 2^k-th thread adds its neighbour at distance 2^(k-1).
//
// One thread did n - 1 operations one after another; now log2 of the block steps do. The threads
// at work are spread over all warps until the very end, so a warp runs each step for ever fewer
// of its lanes: 16 of 32, then 8, 4, 2, 1. The remainder costs a division, too.
//
// Invariant: before the step with stride s, shared[k * s] holds the fold of elements
// k * s … k * s + s - 1 of the block.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n)
// Launch: ceil(n / block) blocks (at least 1), block a power of two <= 1024, dynamic shared memory
// block * sizeof(Acc). Writes out[b] for each block b.
#include "operators.cuh"

// ANCHOR: kernel
template <typename Op, typename T> __device__ void reduce(const T* in, Acc<T>* out, size_t n) {
    Acc<T>* shared = shared_array<Acc<T>>();
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    shared[tid] = i < n ? widen(in[i]) : Op::identity();
    __syncthreads();

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0) {
            shared[tid] = Op::combine(shared[tid], shared[tid + stride]);
        }
        __syncthreads();
    }

    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
// ANCHOR_END: kernel

FOR_EVERY_REDUCTION(REDUCE_KERNEL)
