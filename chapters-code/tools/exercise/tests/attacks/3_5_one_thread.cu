// exercise 3.5: cost, "longest warp"
// One thread scans all blocks.
extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % 512 == 0) sum = 0;
        out[i] = sum;
        sum += in[i];
    }
}
