// __syncthreads_count votes for the whole block; the warps before are counted by ballots again.
extern "C" __global__ void count(const unsigned char* mask, unsigned* counts, size_t n) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    int selected = __syncthreads_count(i < n && mask[i]);
    if (threadIdx.x == 0) counts[blockIdx.x] = selected;
}

extern "C" __global__ void scan_counts(unsigned* counts, unsigned* selected, size_t n) {
    if (threadIdx.x > 0) return;
    unsigned before = 0;
    for (size_t b = 0; b * 256 < n; b++) {
        unsigned count = counts[b];
        counts[b] = before;
        before += count;
    }
    *selected = before;
}

extern "C" __global__ void scatter(const int* in, const unsigned char* mask, int* out, const unsigned* counts, size_t n) {
    __shared__ unsigned votes[8];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    bool select = false;
    if (i < n) select = mask[i];
    unsigned mine = __ballot_sync(~0u, select);
    if (lane == 0) votes[warp] = mine;
    __syncthreads();
    if (!select) return;
    unsigned index = counts[blockIdx.x];
    for (int w = 0; w < warp; w++) index += __popc(votes[w]);
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    out[index + __popc(mine & below)] = in[i];
}
