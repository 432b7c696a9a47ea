// exercise 4.3: active-mask, "only a part of the lanes"
// A ballot of the lanes that happen to be together, in straight code.
extern "C" __global__ void count(const unsigned char* mask, unsigned* counts, size_t n) {
    __shared__ unsigned warps[8];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    unsigned ballot = __ballot_sync(0xffffffffu, i < n && mask[i] != 0);
    if (tid % 32 == 0) {
        warps[tid / 32] = __popc(ballot);
    }
    __syncthreads();
    if (tid == 0) {
        unsigned sum = 0;
        for (unsigned w = 0; w < 8; w++) {
            sum += warps[w];
        }
        counts[blockIdx.x] = sum;
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

extern "C" __global__ void scatter(const int* in, const unsigned char* mask, int* out, const unsigned* counts, size_t n) {
    __shared__ unsigned warps[8];
    unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    bool select = i < n && mask[i] != 0;
    unsigned ballot = __ballot_sync(__activemask(), select);
    if (lane == 0) {
        warps[warp] = __popc(ballot);
    }
    __syncthreads();
    unsigned index = counts[blockIdx.x] + __popc(ballot & ((1u << lane) - 1));
    for (unsigned w = 0; w < warp; w++) {
        index += warps[w];
    }
    if (select) {
        out[index] = in[i];
    }
}
