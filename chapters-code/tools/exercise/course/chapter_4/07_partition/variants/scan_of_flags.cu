// Hillis and Steele over the flags, in both kernels.
__device__ unsigned block_scan(unsigned x) {
    __shared__ unsigned words[256];
    unsigned tid = threadIdx.x;
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
    unsigned sum = 0;
    for (size_t b = 0; threadIdx.x == 0 && b < (n + 255) / 256; b++) {
        unsigned mine = counts[b];
        counts[b] = sum;
        sum += mine;
    }
    if (threadIdx.x == 0) selected[0] = sum;
}

extern "C" __global__ void partition(const int* in, const unsigned char* mask, int* out, const unsigned* counts,
                                     const unsigned* selected, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    unsigned flag = i < n && mask[i] != 0;
    size_t p = counts[blockIdx.x] + block_scan(flag) - flag;
    if (i >= n) return;
    if (flag) out[p] = in[i];
    else out[selected[0] + (i - p)] = in[i];
}
