// Row i of out is row indices[i] of table; rows are 16 floats long.
//
// Launched with 16 n threads, in ceil(16 n / 256) blocks of 256, at least one.
extern "C" __global__ void gather_rows(const float* table, const unsigned* indices, float* out, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < 16 * n) {
        size_t row = indices[i / 16];
        out[i] = table[row + i % 16];
    }
}
