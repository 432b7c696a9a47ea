// The sums of the rows of a matrix with 48 columns, stored by rows.
//
// Launched with ceil(rows / 8) blocks of 256 threads: 8 rows per block, a warp for each.
extern "C" __global__ void row_sums(const float* in, float* out, unsigned rows) {
    unsigned row = blockIdx.x * 8 + threadIdx.x / 32;
    unsigned lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    const float* mine = in + size_t(row) * 48;
    float x = 0.0f;
    x += mine[lane];
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x += __shfl_down_sync(0xffffffffu, x, offset);
    }
    if (lane == 0) {
        out[row] = x;
    }
}
