// exercise 1.1
#include <cuda_runtime.h>
#include <cstdint>
#include <stdio.h>
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float shared[256];
    uint32_t tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    shared[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) { if (tid < stride) shared[tid] += shared[tid + stride]; __syncthreads(); }
    if (tid == 0) out[blockIdx.x] = shared[0];
}
