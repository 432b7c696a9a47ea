// shared_atomics for keys of other types: histogram_<dtype>, launched as histogram_u32 is.
#pragma once
#include "histogram.cuh"

// ANCHOR: kernel
template <typename T> __device__ void count(const T* in, u32* partials, size_t n, Bins bins) {
    u32 total = bins.count + EXTRA;
    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        counters[c] = 0;
    }
    __syncthreads();

    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        u32 c = counter_of(in[i], bins);
        atomicAdd(&counters[c], 1);
    }
    __syncthreads();

    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        partials[size_t(blockIdx.x) * total + c] = counters[c];
    }
}

HISTOGRAM_KERNEL(u8)
HISTOGRAM_KERNEL(u16)
HISTOGRAM_KERNEL(f32)
// ANCHOR_END: kernel
