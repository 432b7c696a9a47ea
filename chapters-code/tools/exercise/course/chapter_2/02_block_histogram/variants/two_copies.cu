// Even and odd warps count apart.
extern "C" __global__ void histogram(const unsigned* __restrict__ keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[2][256];
    for (unsigned k = threadIdx.x; k < 512; k += blockDim.x) local[k / 256][k % 256] = 0;
    __syncthreads();
    unsigned* mine = local[threadIdx.x / 32 % 2];
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(mine + keys[i], 1u);
    }
    __syncthreads();
    unsigned sum = local[0][threadIdx.x] + local[1][threadIdx.x];
    if (sum != 0) atomicAdd(counts + threadIdx.x, sum);
}
