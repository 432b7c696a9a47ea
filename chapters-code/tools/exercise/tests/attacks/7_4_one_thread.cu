// exercise 7.4: cost, "longest warp"
// One thread gathers all rows.
extern "C" __global__ void gather_rows(const float* table, const unsigned* indices, float* out, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < 16; k++) out[16 * i + k] = table[size_t(16) * indices[i] + k];
    }
}
