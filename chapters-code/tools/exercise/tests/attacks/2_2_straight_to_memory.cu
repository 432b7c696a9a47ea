// exercise 2.2: cost, "atomic"
// Every key is an atomic in global memory.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[256];
    unsigned tid = threadIdx.x;
    size_t grid = size_t(gridDim.x) * 256;
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += grid) atomicAdd(&counts[keys[i]], 1u);
}
