// exercise 2.2: cost, "longest warp"
// Each block counts with one lane.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (size_t i = blockIdx.x; i < n; i += gridDim.x) local[keys[i]]++;
    }
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}
