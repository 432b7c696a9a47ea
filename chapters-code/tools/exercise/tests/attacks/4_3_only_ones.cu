// exercise 4.3: part-only|lost-element|never-written|not-selected, ""
// Bytes other than 1 are taken for false.
extern "C" __global__ void count(const unsigned char* mask, unsigned* counts, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int selected = __syncthreads_count(i < n && mask[i] == 1);
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
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    __shared__ unsigned warps[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool select = i < n && mask[i] == 1;
    unsigned ballot = __ballot_sync(0xffffffffu, select);
    if (lane == 0) warps[warp] = __popc(ballot);
    __syncthreads();
    unsigned index = counts[blockIdx.x] + __popc(ballot & ((1u << lane) - 1));
    for (unsigned k = 0; k < warp; k++) index += warps[k];
    if (select) out[index] = in[i];
}
