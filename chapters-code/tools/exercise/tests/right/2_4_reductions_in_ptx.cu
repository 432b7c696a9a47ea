// exercise 2.4
// Reductions without a result, in PTX.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[704];
    for (unsigned b = threadIdx.x; b < 704; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        unsigned key = min(keys[i], 700u);
        asm volatile("red.shared.add.u32 [%0], 1;" ::"r"((unsigned)__cvta_generic_to_shared(&local[key])) : "memory");
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 700; b += blockDim.x) {
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(&counts[b])), "r"(local[b]) : "memory");
    }
}
