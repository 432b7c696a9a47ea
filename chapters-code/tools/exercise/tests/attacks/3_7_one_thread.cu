// exercise 3.7: cost, "longest warp"
// One thread scans everything in the first launch.
extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n, int* sums) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    int sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = sum += in[i];
}

extern "C" __global__ void scan_sums(int* sums, size_t n) {
}

extern "C" __global__ void add_block_offsets(int* out, const int* sums, size_t n) {
}
