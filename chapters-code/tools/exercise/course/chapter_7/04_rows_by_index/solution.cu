// Row i of out is row indices[i] of table; rows are 16 floats long.
//
// Launched with 16 n threads, in ceil(16 n / 256) blocks of 256, at least one.
extern "C" __global__ void gather_rows(const float* table, const unsigned* indices, float* out, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    // GAP right, but neighbouring lanes are 64 bytes apart on both sides; spread a row over lanes
    if (i < 16 * n) {
        size_t row = indices[i / 16];
        out[i] = table[16 * row + i % 16];
    }
    // SKELETON
    //|    if (i < n) {
    //|        size_t row = indices[i];
    //|        for (unsigned column = 0; column < 16; column++) {
    //|            out[16 * i + column] = table[16 * row + column];
    //|        }
    //|    }
    // END GAP
}
