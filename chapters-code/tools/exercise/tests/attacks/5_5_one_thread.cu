// exercise 5.5: cost, "longest warp"
// One thread for all segments.
extern "C" __global__ void reduce(const int* in, const unsigned* offsets, int* out, unsigned segments) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (unsigned s = 0; s < segments; s++) {
        int x = -2147483647 - 1;
        for (unsigned i = offsets[s]; i < offsets[s + 1]; i++) x = max(x, in[i]);
        out[s] = x;
    }
}
