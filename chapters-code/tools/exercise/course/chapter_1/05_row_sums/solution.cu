// The sums of the rows of a matrix with 48 columns, stored by rows.
//
// Launched with ceil(rows / 8) blocks of 256 threads: 8 rows per block, a warp for each.
extern "C" __global__ void row_sums(const float* in, float* out, unsigned rows) {
    // GAP right, but a warp's lanes read 192 bytes apart; let a warp read one row together
    unsigned row = blockIdx.x * 8 + threadIdx.x / 32;
    unsigned lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    const float* mine = in + size_t(row) * 48;
    float x = 0.0f;
    for (unsigned column = lane; column < 48; column += 32) {
        x += mine[column];
    }
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x += __shfl_down_sync(0xffffffffu, x, offset);
    }
    if (lane == 0) {
        out[row] = x;
    }
    // SKELETON
    //|    unsigned row = blockIdx.x * 8 + threadIdx.x;
    //|    if (threadIdx.x >= 8 || row >= rows) {
    //|        return;
    //|    }
    //|    float x = 0.0f;
    //|    for (unsigned column = 0; column < 48; column++) {
    //|        x += in[size_t(row) * 48 + column];
    //|    }
    //|    out[row] = x;
    // END GAP
}
