// atomicInc turns the counter back to 0 by itself, and the last block's threads share the partials.
__device__ int block_sum(int x, int* shared) {
    unsigned tid = threadIdx.x;
    __syncthreads();
    shared[tid] = x;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (tid < stride) shared[tid] += shared[tid + stride];
        __syncthreads();
    }
    return shared[0];
}

extern "C" __global__ void sum(const int* in, int* out, size_t n, int* partials, unsigned* counter) {
    __shared__ int shared[256];
    __shared__ unsigned arrived;
    size_t grid = size_t(gridDim.x) * blockDim.x;
    int x = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) x += in[i];
    x = block_sum(x, shared);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = x;
        __threadfence();
        arrived = atomicInc(counter, gridDim.x - 1);
    }
    __syncthreads();
    if (arrived != gridDim.x - 1) return;
    __threadfence();
    x = threadIdx.x < gridDim.x ? partials[threadIdx.x] : 0;
    x = block_sum(x, shared);
    if (threadIdx.x == 0) *out = x;
}
