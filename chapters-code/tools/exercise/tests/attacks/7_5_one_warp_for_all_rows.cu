// exercise 7.5: cost, "longest warp"
// The first warp of a block takes all rows.
extern "C" __global__ void column_sums(const unsigned* in, unsigned* out, unsigned rows, unsigned cols) {
    unsigned c = blockIdx.x * 32 + threadIdx.x;
    if (threadIdx.y || c >= cols) return;
    unsigned sum = 0;
    for (unsigned r = 0; r < rows; r++) sum += in[size_t(r) * cols + c];
    out[c] = sum;
}
