// exercise 3.8: cost, "longest warp"
// One thread scans everything and sets the counter.
extern "C" __global__ void scan(const int* in, int* out, size_t n, unsigned long long* status, unsigned* counter) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    int sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = sum += in[i];
    *counter = gridDim.x;
}
