// exercise 1.6: cost, "longest warp"
// One thread adds up everything; no other is needed.
extern "C" __global__ void sum(const int* in, int* out, size_t n, int* partials, unsigned* counter) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    int s = 0;
    for (size_t i = 0; i < n; i++) s += in[i];
    out[0] = s;
}
