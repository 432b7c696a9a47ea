// The selected of n elements first, what is not behind it, both in their order; how many are selected, to selected[0].
//
// count and partition are launched with ceil(n / 256) blocks of 256 threads, at least one; scan_counts with one warp.

// counts[b] is how many of its 256 elements block b selects.
extern "C" __global__ void count(const unsigned char* mask, unsigned* counts, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    unsigned selected = __syncthreads_count(i < n && mask[i] != 0);
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = selected;
    }
}

// counts[b] becomes the number selected before block b, and selected[0] the number selected in all.
extern "C" __global__ void scan_counts(unsigned* counts, unsigned* selected, size_t n) {
    size_t blocks = n == 0 ? 1 : (n + 255) / 256;
    unsigned lane = threadIdx.x, before = 0;
    for (size_t first = 0; first < blocks; first += 32) {
        size_t b = first + lane;
        unsigned count = b < blocks ? counts[b] : 0, x = count;
        for (unsigned offset = 1; offset < 32; offset *= 2) {
            unsigned other = __shfl_up_sync(0xffffffffu, x, offset);
            x += lane >= offset ? other : 0;
        }
        if (b < blocks) {
            counts[b] = before + x - count;
        }
        before += __shfl_sync(0xffffffffu, x, 31);
    }
    if (lane == 0) {
        selected[0] = before;
    }
}

extern "C" __global__ void partition(const int* in, const unsigned char* mask, int* out, const unsigned* counts,
                                     const unsigned* selected, size_t n) {
    // GAP counts[b] is the number selected before block b, selected[0] the number selected in all: write every element to its index
    __shared__ unsigned warps[8];
    unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    bool select = i < n && mask[i] != 0;
    unsigned ballot = __ballot_sync(0xffffffffu, select);
    if (lane == 0) {
        warps[warp] = __popc(ballot);
    }
    __syncthreads();
    size_t before = counts[blockIdx.x] + __popc(ballot & ((1u << lane) - 1));
    for (unsigned w = 0; w < warp; w++) {
        before += warps[w];
    }
    if (i < n) {
        out[select ? before : selected[0] + i - before] = in[i];
    }
    // END GAP
}
