// Each side has a rank of its own; the others are counted by the opposite ballot.
extern "C" __global__ void count(const unsigned char* mask, unsigned* counts, size_t n) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    int selected = __syncthreads_count(i < n ? mask[i] : 0);
    if (threadIdx.x == 0) counts[blockIdx.x] = selected;
}

extern "C" __global__ void scan_counts(unsigned* counts, unsigned* selected, size_t n) {
    if (threadIdx.x > 0) return;
    unsigned sum = 0;
    for (size_t b = 0; b < (n + 255) / 256; b++) {
        unsigned mine = counts[b];
        counts[b] = sum;
        sum += mine;
    }
    *selected = sum;
}

extern "C" __global__ void partition(const int* in, const unsigned char* mask, int* out, const unsigned* counts,
                                     const unsigned* selected, size_t n) {
    __shared__ unsigned votes[8];
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t first = blockIdx.x * size_t(256), i = first + threadIdx.x;
    bool select = i < n && mask[i];
    unsigned mine = __ballot_sync(~0u, select);
    if (lane == 31) votes[warp] = mine;
    __syncthreads();
    if (i >= n) return;
    size_t index = select ? counts[blockIdx.x] : *selected + first - counts[blockIdx.x];
    for (unsigned w = 0; w < warp; w++) index += __popc(select ? votes[w] : ~votes[w]);
    index += __popc((select ? mine : ~mine) & ~(~0u << lane));
    out[index] = in[i];
}
