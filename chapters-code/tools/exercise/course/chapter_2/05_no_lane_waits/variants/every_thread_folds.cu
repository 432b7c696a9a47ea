// A warp folds a key's 32 counters by shuffles: eight keys at a time.
extern "C" __global__ void weigh(const unsigned* __restrict__ keys, const int* __restrict__ weights,
                                 int* counts, size_t n) {
    __shared__ int local[64][32];
    __shared__ int sums[64];
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (unsigned key = warp; key < 64; key += 8) local[key][lane] = 0;
    __syncthreads();
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) atomicAdd(&local[keys[i]][lane], weights[i]);
    __syncthreads();
    for (unsigned key = warp; key < 64; key += 8) {
        int sum = local[key][lane];
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
        if (lane == 0) sums[key] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(counts + threadIdx.x, sums[threadIdx.x]);
}
