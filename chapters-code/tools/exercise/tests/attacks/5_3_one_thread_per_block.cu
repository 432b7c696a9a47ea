// exercise 5.3: cost, "longest warp"
// One thread scans its block.
extern "C" __global__ void scan_blocks(const int* in, const unsigned char* flags, int* out, size_t n) {
    if (threadIdx.x) return;
    int sum = 0;
    for (size_t i = size_t(blockIdx.x) * 256; i < n && i < size_t(blockIdx.x) * 256 + 256; i++) {
        sum = flags[i] ? in[i] : sum + in[i];
        out[i] = sum;
    }
}
