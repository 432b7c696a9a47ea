// Each block takes neighbouring keys; one warp adds up in the end.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    const size_t share = (n + gridDim.x - 1) / gridDim.x;
    const size_t begin = share * blockIdx.x;
    const size_t end = begin + share < n ? begin + share : n;
    __syncthreads();
    for (size_t i = begin + threadIdx.x; i < end; i += 256) {
        atomicInc(&local[keys[i]], 0xffffffff);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (unsigned bin = threadIdx.x; bin < 256; bin += 32) {
            atomicAdd(&counts[bin], local[bin]);
        }
    }
}
