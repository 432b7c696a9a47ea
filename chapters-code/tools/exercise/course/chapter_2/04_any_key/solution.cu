// Counts n keys into 700 bins. Keys that are no bin's, 700 and above, are passed over.
//
// Launched with ceil(n / 1024) blocks of 256 threads, at least 1 and at most 64; counts holds zeros.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[700];
    unsigned tid = threadIdx.x;
    // GAP right for up to 256 bins, for keys below 700, and for multiples of 256 only
    for (unsigned bin = tid; bin < 700; bin += 256) {
        local[bin] = 0;
    }
    __syncthreads();
    size_t grid = size_t(gridDim.x) * 256;
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += grid) {
        unsigned key = keys[i];
        if (key < 700) {
            atomicAdd(&local[key], 1);
        }
    }
    __syncthreads();
    for (unsigned bin = tid; bin < 700; bin += 256) {
        atomicAdd(&counts[bin], local[bin]);
    }
    // SKELETON
    //|    local[tid] = 0;
    //|    __syncthreads();
    //|    for (size_t k = blockIdx.x; k < n / 256; k += gridDim.x) {
    //|        atomicAdd(&local[keys[256 * k + tid]], 1);
    //|    }
    //|    __syncthreads();
    //|    atomicAdd(&counts[tid], local[tid]);
    // END GAP
}
