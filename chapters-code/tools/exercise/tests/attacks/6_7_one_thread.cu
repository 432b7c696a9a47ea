// exercise 6.7: cost, "longest warp"
// One thread exchanges pairs.
extern "C" __global__ void transpose_in_place(float* matrix, unsigned n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (unsigned r = 0; r < n; r++) {
        for (unsigned c = 0; c < r; c++) {
            float x = matrix[size_t(r) * n + c];
            matrix[size_t(r) * n + c] = matrix[size_t(c) * n + r];
            matrix[size_t(c) * n + r] = x;
        }
    }
}
