// Counts n keys into 128 bins; every key is below 128.
//
// Launched with ceil(n / 1024) blocks of 256 threads, at least 1 and at most 64; counts holds zeros.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[128];
    unsigned tid = threadIdx.x;
    // GAP two things race here; neither shows every time
    if (tid < 128) {
        local[tid] = 0;
    }
    __syncthreads();
    size_t grid = size_t(gridDim.x) * 256;
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += grid) {
        atomicAdd(&local[keys[i]], 1);
    }
    __syncthreads();
    if (tid < 128) {
        atomicAdd(&counts[tid], local[tid]);
    }
    // SKELETON
    //|    if (tid < 128) {
    //|        local[tid] = 0;
    //|    }
    //|    size_t grid = size_t(gridDim.x) * 256;
    //|    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += grid) {
    //|        atomicAdd(&local[keys[i]], 1);
    //|    }
    //|    __syncthreads();
    //|    if (tid < 128) {
    //|        counts[tid] += local[tid];
    //|    }
    // END GAP
}
