// hillis_steele for other kinds, operators and types: <kind>_<op>_<dtype>, launched as inclusive_sum_f32 is.
#pragma once
#include "types.cuh"

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, T* sums) {
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    T* from = reinterpret_cast<T*>(shared_memory);
    T* to = from + blockDim.x;
    from[tid] = i < n ? in[i] : Op::identity();
    __syncthreads();
    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        T x = from[tid];
        to[tid] = tid >= offset ? Op::combine(from[tid - offset], x) : x;
        __syncthreads();
        T* free = from;
        from = to;
        to = free;
    }
    if (i < n) {
        bool before = KIND == Kind::Exclusive;
        out[i] = !before ? from[tid] : tid > 0 ? from[tid - 1] : Op::identity();
    }
    if (tid == blockDim.x - 1) {
        sums[blockIdx.x] = from[tid];
    }
}

BOTH_KINDS(BLOCKS_KERNEL, sum, Sum, i64)
