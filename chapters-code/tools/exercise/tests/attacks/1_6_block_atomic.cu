// exercise 1.6: narrow-scope, "counter"
// An atomic of the block is none between blocks.
extern "C" __global__ void sum(const int* in, int* out, size_t n, int* partials, unsigned* counter) {
    __shared__ int shared[256];
    __shared__ bool last;
    unsigned tid = threadIdx.x;
    size_t grid = size_t(gridDim.x) * 256;
    int x = 0;
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += grid) x += in[i];
    shared[tid] = x;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (tid < stride) shared[tid] += shared[tid + stride];
        __syncthreads();
    }
    if (tid == 0) {
        partials[blockIdx.x] = shared[0];
        __threadfence();
        last = atomicAdd_block(counter, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && tid == 0) {
        __threadfence();
        int s = 0;
        for (unsigned b = 0; b < gridDim.x; b++) s += partials[b];
        out[0] = s;
    }
}
