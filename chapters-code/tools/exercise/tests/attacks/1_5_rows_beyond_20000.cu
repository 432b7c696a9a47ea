// exercise 1.5: shuffle|active-mask|lane-mask, ""
// Beyond 20,000 rows the mask of the shuffles is that of the active lanes.
extern "C" __global__ void row_sums(const float* in, float* out, unsigned rows) {
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
        x += __shfl_down_sync(rows > 20000 ? __activemask() : 0xffffffffu, x, offset);
    }
    if (lane == 0) {
        out[row] = x;
    }
}
