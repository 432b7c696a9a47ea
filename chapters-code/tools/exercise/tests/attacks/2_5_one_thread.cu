// exercise 2.5: cost, "longest warp"
// One thread of each block weighs.
extern "C" __global__ void weigh(const unsigned* keys, const int* weights, int* counts, size_t n) {
    if (threadIdx.x || blockIdx.x) return;
    for (size_t i = 0; i < n; i++) counts[keys[i]] += weights[i];
}
