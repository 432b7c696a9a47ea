// exercise 2.2: narrow-counter|part-only|doubled-element|wrong|many-elements|never-written, ""
// Two counters share a word, and one of them overflows.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[128];
    unsigned tid = threadIdx.x;
    if (tid < 128) local[tid] = 0;
    __syncthreads();
    size_t grid = size_t(gridDim.x) * 256;
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += grid) atomicAdd(&local[keys[i] / 2], keys[i] % 2 ? 65536u : 1u);
    __syncthreads();
    unsigned count = local[tid / 2] >> (tid % 2 * 16) & 0xffff;
    atomicAdd(&counts[tid], count);
}
