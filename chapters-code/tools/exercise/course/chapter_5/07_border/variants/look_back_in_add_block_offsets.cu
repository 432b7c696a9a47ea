// The scan of the sums is left out: each block looks back by itself, as far as the last head.
extern "C" __global__ void scan_blocks(const int* in, const unsigned char* flags, int* out, size_t n, int* sums,
                                       unsigned* reached) {
    __shared__ unsigned block_reached;
    size_t first = size_t(blockIdx.x) * 256;
    if (threadIdx.x == 0) {
        int sum = 0;
        bool seen = false;
        block_reached = 0;
        for (size_t i = first; i < first + 256 && i < n; i++) {
            if (flags[i]) {
                sum = 0;
                seen = true;
            }
            sum += in[i];
            out[i] = sum;
            block_reached += !seen;
        }
        sums[blockIdx.x] = sum;
        reached[blockIdx.x] = block_reached;
    }
}

extern "C" __global__ void scan_sums(int* sums, const unsigned* reached, size_t n) {}

extern "C" __global__ void add_block_offsets(int* out, const int* sums, const unsigned* reached, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i >= n || threadIdx.x >= reached[blockIdx.x]) return;
    int before = 0;
    for (unsigned b = blockIdx.x; b > 0; b--) {
        before += sums[b - 1];
        if (reached[b - 1] < 256) break;
    }
    out[i] += before;
}
