// exercise 5.7: cost, "longest warp"
// One thread scans everything in the last launch.
extern "C" __global__ void scan_blocks(const int* in, const unsigned char* flags, int* out, size_t n, int* sums, unsigned* reached) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum = flags[i] ? in[i] : sum + in[i];
        out[i] = sum;
    }
}

extern "C" __global__ void scan_sums(int* sums, const unsigned* reached, size_t n) {
}

extern "C" __global__ void add_block_offsets(int* out, const int* sums, const unsigned* reached, size_t n) {
}
