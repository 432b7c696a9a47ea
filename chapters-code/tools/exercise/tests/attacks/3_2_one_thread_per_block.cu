// exercise 3.2: cost, "longest warp"
// Hillis and Steele have nothing to do where one thread adds up.
extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n) {
    if (threadIdx.x) return;
    int sum = 0;
    for (size_t i = size_t(blockIdx.x) * 256; i < n && i < size_t(blockIdx.x) * 256 + 256; i++) out[i] = sum += in[i];
}
