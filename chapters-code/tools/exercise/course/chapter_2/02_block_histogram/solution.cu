// Counts n keys into 256 bins; every key is below 256.
//
// Launched with ceil(n / 2048) blocks of 256 threads, at least 1 and at most 64; counts holds zeros.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[256];
    // GAP count into local first, and add local to counts in the end, one atomic a bin and block
    unsigned tid = threadIdx.x;
    local[tid] = 0;
    __syncthreads();
    size_t grid = size_t(gridDim.x) * 256;
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += grid) {
        atomicAdd(&local[keys[i]], 1);
    }
    __syncthreads();
    atomicAdd(&counts[tid], local[tid]);
    // END GAP
}
