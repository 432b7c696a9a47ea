// exercise 1.6: state, ""
// With 64 blocks the count is in a variable that nothing sets back.
__device__ unsigned arrived;
extern "C" __global__ void sum(const int* in, int* out, size_t n, int* partials, unsigned* counter) {
    __shared__ int shared[256];
    __shared__ bool last;
    unsigned tid = threadIdx.x;
    int x = 0;
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += size_t(gridDim.x) * 256) {
        x += in[i];
    }
    shared[tid] = x;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        partials[blockIdx.x] = shared[0];
        __threadfence();
        last = atomicAdd(gridDim.x == 64 ? &arrived : counter, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && tid == 0) {
        __threadfence();
        int total = 0;
        for (unsigned block = 0; block < gridDim.x; block++) {
            total += ((volatile int*)partials)[block];
        }
        out[0] = total;
    }
}
