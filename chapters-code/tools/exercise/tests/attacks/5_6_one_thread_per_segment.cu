// exercise 5.6: cost, "longest warp"
// One thread of each block scans its segment.
extern "C" __global__ void scan_segments(const int* in, const unsigned* offsets, int* out, unsigned segments) {
    if (threadIdx.x) return;
    int sum = 0;
    for (unsigned i = offsets[blockIdx.x]; blockIdx.x < segments && i < offsets[blockIdx.x + 1]; i++) out[i] = sum += in[i];
}
