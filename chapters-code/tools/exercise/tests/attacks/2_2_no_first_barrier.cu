// exercise 2.2: missing-barrier, "local"
// Some count before all counters are zero.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[256];
    unsigned tid = threadIdx.x;
    size_t grid = size_t(gridDim.x) * 256;
    local[tid] = 0;
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += grid) atomicAdd(&local[keys[i]], 1u);
    __syncthreads();
    atomicAdd(&counts[tid], local[tid]);
}
