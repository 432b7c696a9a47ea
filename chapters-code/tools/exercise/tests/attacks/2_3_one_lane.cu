// exercise 2.3: cost, "longest warp"
// No count is lost where one thread counts.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (size_t i = 0; i < n; i++) counts[keys[i]]++;
}
