// exercise 2.4: cost, "longest warp"
// One lane needs neither atomics nor barriers.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    if (threadIdx.x || blockIdx.x) return;
    for (size_t i = 0; i < n; i++) {
        if (keys[i] < 700) counts[keys[i]]++;
    }
}
