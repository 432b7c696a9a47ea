// Half a warp per row, and rows go round.
extern "C" __global__ void gather_rows(const float* table, const unsigned* indices, float* out, size_t n) {
    size_t rows = size_t(gridDim.x) * 16;
    unsigned half = threadIdx.x / 16, column = threadIdx.x % 16;
    for (size_t row = size_t(blockIdx.x) * 16 + half; row < n; row += rows) {
        const float* from = table + size_t(indices[row]) * 16;
        out[row * 16 + column] = from[column];
    }
}
