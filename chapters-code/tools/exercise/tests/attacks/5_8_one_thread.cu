// exercise 5.8: cost, "longest warp"
// One thread sums all segments.
extern "C" __global__ void walk(const int* in, const unsigned* offsets, int* out, unsigned n, unsigned segments, int* open, unsigned* ended) {
    if (threadIdx.x || blockIdx.x) return;
    for (unsigned s = 0; s < segments; s++) {
        int sum = 0;
        for (unsigned i = offsets[s]; i < offsets[s + 1]; i++) sum += in[i];
        out[s] = sum;
    }
}

extern "C" __global__ void join(int* out, unsigned segments, const int* open, const unsigned* ended) {
}
