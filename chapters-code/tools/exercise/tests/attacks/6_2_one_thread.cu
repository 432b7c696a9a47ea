// exercise 6.2: cost, "longest warp"
// One thread: each of its requests touches one sector.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (unsigned r = 0; r < rows; r++) {
        for (unsigned c = 0; c < cols; c++) out[size_t(c) * rows + r] = in[size_t(r) * cols + c];
    }
}
