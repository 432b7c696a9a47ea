// exercise 1.4: cost, "longest warp"
// One thread finds the maximum of everything.
extern "C" __global__ void maximum(const int* in, int* out, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    int x = -2147483647 - 1;
    for (size_t i = 0; i < n; i++) x = max(x, in[i]);
    out[0] = x;
}
