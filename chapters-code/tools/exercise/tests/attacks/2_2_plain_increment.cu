// exercise 2.2: lost-update, "local"
// An increment is a read, an addition and a write.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[256];
    unsigned tid = threadIdx.x;
    size_t grid = size_t(gridDim.x) * 256;
    local[tid] = 0;
    __syncthreads();
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += grid) local[keys[i]]++;
    __syncthreads();
    atomicAdd(&counts[tid], local[tid]);
}
