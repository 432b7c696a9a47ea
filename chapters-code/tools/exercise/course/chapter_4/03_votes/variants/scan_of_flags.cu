// No votes: Hillis and Steele over the flags.
__device__ unsigned block_scan(unsigned flag) {
    __shared__ unsigned words[256];
    unsigned tid = threadIdx.x, x = flag;
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        words[tid] = x;
        __syncthreads();
        if (tid >= offset) x += words[tid - offset];
        __syncthreads();
    }
    return x;
}

extern "C" __global__ void count(const unsigned char* mask, unsigned* counts, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    unsigned x = block_scan(i < n && mask[i] != 0);
    if (threadIdx.x == 255) counts[blockIdx.x] = x;
}

extern "C" __global__ void scan_counts(unsigned* counts, unsigned* selected, size_t n) {
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (size_t b = 0; b < (n + 255) / 256; b++) {
            unsigned count = counts[b];
            counts[b] = sum;
            sum += count;
        }
        selected[0] = sum;
    }
}

extern "C" __global__ void scatter(const int* in, const unsigned char* mask, int* out, const unsigned* counts, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    unsigned flag = i < n && mask[i] != 0;
    unsigned x = block_scan(flag);
    if (flag) out[counts[blockIdx.x] + x - 1] = in[i];
}
