// exercise 2.4: uninitialised|doubled-element|part-only|wrong|lost-element|out-of-bounds, "is used before its value is set"
// How much a key counts is never set.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[700];
    unsigned tid = threadIdx.x, weight;
    for (unsigned bin = tid; bin < 700; bin += 256) {
        local[bin] = 0;
    }
    __syncthreads();
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += size_t(gridDim.x) * 256) {
        if (keys[i] < 700) {
            atomicAdd(&local[keys[i]], weight + 1);
        }
    }
    __syncthreads();
    for (unsigned bin = tid; bin < 700; bin += 256) {
        atomicAdd(&counts[bin], local[bin]);
    }
}
