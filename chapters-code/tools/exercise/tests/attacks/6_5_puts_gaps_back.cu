// exercise 6.5: gap-written, ""
// What a gap holds is read and stored again.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols,
                                     unsigned ld_in, unsigned ld_out) {
    __shared__ float tile[32][33];
    unsigned x = threadIdx.x;
    unsigned row = blockIdx.y * 32, col = blockIdx.x * 32;
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (row + y < rows && col + x < cols) {
            tile[y][x] = in[size_t(row + y) * ld_in + col + x];
        }
    }
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (col + y < cols && row + x < rows) {
            out[size_t(col + y) * ld_out + row + x] = tile[x][y];
        } else if (col + y < cols && row + x < ld_out && rows > 100) {
            volatile float* gap = &out[size_t(col + y) * ld_out + row + x];
            *gap = *gap;
        }
    }
}
