// Atomics on a few words of shared memory: lanes queue.
// run(const unsigned* in, unsigned* out, size_t n): one thread an element.
extern "C" __global__ void run(const unsigned* in, unsigned* out, size_t n) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) {
        bins[threadIdx.x] = 0;
    }
    __syncthreads();
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned x = i < n ? in[i] : 0;
    for (unsigned k = 0; k < 8; k++) {
        atomicAdd(&bins[x >> (4 * k) & 15], 1);
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        out[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
    }
}
