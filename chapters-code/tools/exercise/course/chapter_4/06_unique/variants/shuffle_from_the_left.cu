// The neighbour by a shuffle; only lane 0 asks memory.
__device__ bool selects(const int* in, size_t i, size_t n, int& x) {
    x = i < n ? in[i] : 0;
    int left = __shfl_up_sync(~0u, x, 1);
    if (threadIdx.x % 32 == 0 && i > 0 && i < n) left = in[i - 1];
    return i < n && (i == 0 || left != x);
}

extern "C" __global__ void count(const int* in, unsigned* counts, size_t n) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int x;
    bool select = selects(in, blockIdx.x * size_t(256) + threadIdx.x, n, x);
    if (select) atomicAdd(&sum, 1u);
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = sum;
}

extern "C" __global__ void scan_counts(unsigned* counts, unsigned* selected, size_t n) {
    if (threadIdx.x) return;
    unsigned sum = 0;
    for (size_t b = 0; 256 * b < n; b++) {
        unsigned count = counts[b];
        counts[b] = sum;
        sum += count;
    }
    selected[0] = sum;
}

extern "C" __global__ void scatter(const int* in, int* out, const unsigned* counts, size_t n) {
    __shared__ unsigned votes[8];
    int x;
    bool select = selects(in, blockIdx.x * size_t(256) + threadIdx.x, n, x);
    unsigned mine = __ballot_sync(~0u, select), warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) votes[warp] = mine;
    __syncthreads();
    unsigned index = counts[blockIdx.x];
    for (unsigned w = 0; w < warp; w++) index += __popc(votes[w]);
    if (select) out[index + __popc(mine & ~(~0u << threadIdx.x % 32))] = x;
}
