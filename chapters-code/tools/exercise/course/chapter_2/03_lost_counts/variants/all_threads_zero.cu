// All 256 threads make a word zero, half of them a word that no thread needs.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * size_t(256) + threadIdx.x; i < n; i += gridDim.x * size_t(256)) {
        atomicAdd(local + keys[i], 1);
    }
    __syncthreads();
    if (threadIdx.x >= 128 || local[threadIdx.x] == 0) {
        return;
    }
    atomicAdd(counts + threadIdx.x, local[threadIdx.x]);
}
