// exercise 2.2: cost, "longest warp"
// One thread counts all keys.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (size_t i = 0; i < n; i++) counts[keys[i]]++;
}
