// exercise 4.3: cost, "longest warp"
// One thread scatters its block.
extern "C" __global__ void count(const unsigned char* mask, unsigned* counts, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int selected = __syncthreads_count(i < n && mask[i] != 0);
    if (threadIdx.x == 0) counts[blockIdx.x] = selected;
}

extern "C" __global__ void scan_counts(unsigned* counts, unsigned* selected, size_t n) {
    if (threadIdx.x) return;
    unsigned before = 0;
    size_t blocks = n == 0 ? 1 : (n + 255) / 256;
    for (size_t b = 0; b < blocks; b++) {
        unsigned count = counts[b];
        counts[b] = before;
        before += count;
    }
    selected[0] = before;
}

extern "C" __global__ void scatter(const int* in, const unsigned char* mask, int* out, const unsigned* counts, size_t n) {
    if (threadIdx.x) return;
    unsigned k = counts[blockIdx.x];
    for (size_t i = size_t(blockIdx.x) * 256; i < n && i < size_t(blockIdx.x) * 256 + 256; i++) if (mask[i]) out[k++] = in[i];
}
