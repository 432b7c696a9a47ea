// exercise 6.5: cost, "longest warp"
// One thread respects all edges.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols, unsigned ld_in, unsigned ld_out) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (unsigned r = 0; r < rows; r++) {
        for (unsigned c = 0; c < cols; c++) out[size_t(c) * ld_out + r] = in[size_t(r) * ld_in + c];
    }
}
