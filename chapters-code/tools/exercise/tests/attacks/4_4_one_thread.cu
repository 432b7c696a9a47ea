// exercise 4.4: cost, "longest warp"
// One thread compacts everything, without an atomic.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    unsigned k = 0;
    for (size_t i = 0; i < n; i++) if (mask[i]) out[k++] = in[i];
    selected[0] = k;
}
