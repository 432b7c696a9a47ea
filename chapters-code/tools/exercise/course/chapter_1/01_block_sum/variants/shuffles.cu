// Two rounds of shuffles: within each warp, then over the warps' sums.
__device__ float warp_sum(float x) {
    for (int offset = 16; offset > 0; offset >>= 1) x += __shfl_down_sync(~0u, x, offset);
    return x;
}

extern "C" __global__ void block_sum(const float* __restrict__ in, float* __restrict__ out, size_t n) {
    __shared__ float sums[8];
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    float x = 0;
    if (i < n) x = in[i];
    x = warp_sum(x);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = threadIdx.x < 8 ? sums[threadIdx.x] : 0;
        x = warp_sum(x);
        if (threadIdx.x == 0) out[blockIdx.x] = x;
    }
}
