// exercise 2.3: cost, "longest warp"
// A block counts in shared memory only where n is a multiple of 256; one lane counts otherwise.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[128];
    if (n % 256) {
        if (threadIdx.x || blockIdx.x) return;
        for (size_t i = 0; i < n; i++) counts[keys[i]]++;
        return;
    }
    if (threadIdx.x < 128) local[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = size_t(blockIdx.x) * 256 + threadIdx.x; i < n; i += size_t(gridDim.x) * 256) {
        atomicAdd(&local[keys[i]], 1);
    }
    __syncthreads();
    if (threadIdx.x < 128) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}
