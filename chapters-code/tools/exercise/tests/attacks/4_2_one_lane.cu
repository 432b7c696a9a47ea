// exercise 4.2: cost, "longest warp"
// One lane counts as it goes; no index has to be computed.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    if (threadIdx.x) return;
    unsigned index = 0;
    for (unsigned i = 0; i < n; i++) {
        if (mask[i]) out[index++] = in[i];
    }
    selected[0] = index;
}
