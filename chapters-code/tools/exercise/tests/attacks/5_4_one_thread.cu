// exercise 5.4: cost, "longest warp"
// One thread scans all warps' elements.
extern "C" __global__ void scan_warps(const int* in, const unsigned char* flags, int* out, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % 32 == 0 || flags[i]) sum = 0;
        out[i] = sum;
        sum += in[i];
    }
}
