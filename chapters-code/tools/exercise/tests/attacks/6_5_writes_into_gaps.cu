// exercise 6.5: gap-written, "gap"
// Writes into the gaps between rows.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols, unsigned ld_in, unsigned ld_out) {
    __shared__ float tile[32][33];
    unsigned x = threadIdx.x, row = blockIdx.y * 32, col = blockIdx.x * 32;
    for (unsigned y = threadIdx.y; y < 32; y += 8) if (row + y < rows && col + x < cols) tile[y][x] = in[size_t(row + y) * ld_in + col + x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (col + y < cols && row + x < ld_out && (row + x < rows || row + 32 >= rows)) out[size_t(col + y) * ld_out + row + x] = row + x < rows ? tile[x][y] : __uint_as_float(0xfbfbfbfbu);
    }
}
