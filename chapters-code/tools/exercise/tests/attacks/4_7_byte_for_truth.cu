// exercise 4.7: part-only|lost-element|never-written|not-selected|order|wrong|write-conflict, ""
// The low bit of the byte alone decides.
extern "C" __global__ void count(const unsigned char* mask, unsigned* counts, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int selected = __syncthreads_count(i < n && (mask[i] & 1));
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

extern "C" __global__ void partition(const int* in, const unsigned char* mask, int* out, const unsigned* counts, const unsigned* selected, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    __shared__ unsigned warps[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool select = i < n && (mask[i] & 1);
    unsigned ballot = __ballot_sync(0xffffffffu, select);
    if (lane == 0) warps[warp] = __popc(ballot);
    __syncthreads();
    unsigned before = counts[blockIdx.x] + __popc(ballot & ((1u << lane) - 1));
    for (unsigned k = 0; k < warp; k++) before += warps[k];
    if (i < n) out[select ? before : selected[0] + i - before] = in[i];
}
