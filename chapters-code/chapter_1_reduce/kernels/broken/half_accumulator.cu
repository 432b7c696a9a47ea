// BROKEN: a sum of halves, accumulated in half precision.
//
// f16 has 11 bits of significand: from 2048 on, adding 1 changes nothing, and beyond 65504 there is
// only infinity. Each thread's share and the tree both round to that.
// Caught by: the verdict: the error exceeds the bound of an f32 accumulator by orders of magnitude.
//
// sum_f16(const half* in, float* out, size_t n)
// Launch: as shuffle.cu, dynamic shared memory block * sizeof(half).
#include <cuda_fp16.h>

extern "C" __global__ void sum_f16(const __half* __restrict__ in, float* __restrict__ out,
                                   size_t n) {
    extern __shared__ __half shared[];
    unsigned tid = threadIdx.x;
    size_t grid = size_t(gridDim.x) * blockDim.x;
    // ANCHOR: bug
    __half x = __float2half(0.0f);
    for (size_t i = size_t(blockIdx.x) * blockDim.x + tid; i < n; i += grid) {
        x = __hadd(x, in[i]);
    }
    // ANCHOR_END: bug
    shared[tid] = x;
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            shared[tid] = __hadd(shared[tid], shared[tid + stride]);
        }
        __syncthreads();
    }

    if (tid == 0) {
        out[blockIdx.x] = __half2float(shared[0]);
    }
}
