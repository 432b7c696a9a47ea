// The sums are few: one thread scans them, and the kernel stays right.
__device__ int block_scan(int x) {
    __shared__ int words[2][256];
    int t = threadIdx.x, from = 0;
    words[0][t] = x;
    __syncthreads();
    for (int offset = 1; offset < 256; offset *= 2, from ^= 1) {
        int y = words[from][t];
        if (t >= offset) y += words[from][t - offset];
        words[from ^ 1][t] = y;
        __syncthreads();
    }
    return words[from][t];
}

extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n, int* sums) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int x = 0;
    if (i < n) x = in[i];
    x = block_scan(x);
    if (i < n) out[i] = x;
    if (threadIdx.x == 255) sums[blockIdx.x] = x;
}

extern "C" __global__ void scan_sums(int* sums, size_t n) {
    if (threadIdx.x != 0) return;
    int before = 0;
    for (size_t b = 0; b * 256 < n; b++) {
        int mine = sums[b];
        sums[b] = before;
        before += mine;
    }
}

extern "C" __global__ void add_block_offsets(int* out, const int* sums, size_t n) {
    for (size_t i = size_t(blockIdx.x) * 256 + threadIdx.x; i < n; i += n) out[i] += sums[i / 256];
}
