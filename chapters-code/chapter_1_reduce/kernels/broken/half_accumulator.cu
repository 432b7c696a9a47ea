// BROKEN: a sum of halves, accumulated in half precision.
//
// f16 has 11 bits of significand: a sum that has reached 2048 stays there, if all elements are below
// 1, and beyond 65504 there is only infinity. Each thread's sum meets the first limit, the tree
// the second.
// Caught by: the verdict. With 2^20 elements between -1 and 0 the sum is -infinity; with 2^12 the
// error is well beyond the bound of an f32 accumulator.
//
// sum_f16(const half* in, float* out, size_t n)
// Launch: 1 block of a power of two of threads, dynamic shared memory block * sizeof(half). Writes
// out[0]. (With more blocks out[b] for each block b; then a block's sum may be small enough for the
// error to hide.)
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
