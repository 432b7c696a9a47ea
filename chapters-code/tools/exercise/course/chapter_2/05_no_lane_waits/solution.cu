// Sums weights by key: counts[k] is the sum of the weights whose key is k. Every key is below 64.
//
// Launched with ceil(n / 256) blocks of 256 threads, at least 1: one key per thread; counts holds zeros.
extern "C" __global__ void weigh(const unsigned* keys, const int* weights, int* counts, size_t n) {
    // GAP lanes wait for each other at the counters; give each lane counters, and a bank, of its own
    __shared__ int local[64 * 32];
    unsigned tid = threadIdx.x;
    unsigned lane = tid % 32;
    for (unsigned word = tid; word < 64 * 32; word += 256) {
        local[word] = 0;
    }
    __syncthreads();
    size_t i = size_t(blockIdx.x) * 256 + tid;
    if (i < n) {
        atomicAdd(&local[keys[i] * 32 + lane], weights[i]);
    }
    __syncthreads();
    if (tid < 64) {
        int sum = 0;
        for (unsigned k = 0; k < 32; k++) {
            sum += local[tid * 32 + (k + tid) % 32];
        }
        atomicAdd(&counts[tid], sum);
    }
    // SKELETON
    //|    __shared__ int local[64];
    //|    unsigned tid = threadIdx.x;
    //|    if (tid < 64) {
    //|        local[tid] = 0;
    //|    }
    //|    __syncthreads();
    //|    size_t i = size_t(blockIdx.x) * 256 + tid;
    //|    if (i < n) {
    //|        atomicAdd(&local[keys[i]], weights[i]);
    //|    }
    //|    __syncthreads();
    //|    if (tid < 64) {
    //|        atomicAdd(&counts[tid], local[tid]);
    //|    }
    // END GAP
}
