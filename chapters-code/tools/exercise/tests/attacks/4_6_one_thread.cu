// exercise 4.6: cost, "longest warp"
// One thread compares all neighbours.
extern "C" __global__ void count(const int* in, unsigned* counts, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int selected = __syncthreads_count(i < n && (i == 0 || in[i] != in[i - 1]));
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

extern "C" __global__ void scatter(const int* in, int* out, const unsigned* counts, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    unsigned k = 0;
    for (size_t i = 0; i < n; i++) if (i == 0 || in[i] != in[i - 1]) out[k++] = in[i];
}
