// This kernel uses no shared memory: the exercise does not ask for speed.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    size_t thread = blockIdx.x * (size_t)256 + threadIdx.x;
    size_t threads = gridDim.x * (size_t)256;
    for (size_t i = thread; i < n; i += threads) {
        if (keys[i] >= 700) continue;
        atomicAdd(&counts[keys[i]], 1);
    }
}
