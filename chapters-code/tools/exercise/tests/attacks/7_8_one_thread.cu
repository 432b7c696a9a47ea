// exercise 7.8: cost, "longest warp"
// One thread writes all records.
extern "C" __global__ void records(const float* in, float* out, size_t cols) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (size_t i = 0; i < cols; i++) {
        for (unsigned k = 0; k < 8; k++) out[8 * i + k] = in[k * cols + i];
    }
}
