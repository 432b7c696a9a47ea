// exercise 3.4: cost, "longest warp"
// One thread carries the maximum on.
extern "C" __global__ void scan_max(const int* in, int* out, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    int x = -2147483647 - 1;
    for (size_t i = 0; i < n; i++) {
        out[i] = x;
        x = max(x, in[i]);
    }
}
