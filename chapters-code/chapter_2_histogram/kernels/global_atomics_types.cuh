// global_atomics for keys of other types: histogram_<dtype>, launched as histogram_u32 is.
#pragma once
#include "histogram.cuh"

template <typename T> __device__ void count(const T* in, u32* out, size_t n, Bins bins) {
    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        u32 c = counter_of(in[i], bins);
        atomicAdd(&out[c], 1);
    }
}

HISTOGRAM_KERNEL(u8)
HISTOGRAM_KERNEL(u16)
HISTOGRAM_KERNEL(f32)
