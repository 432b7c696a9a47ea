// out is the transpose of the matrix in, both stored by rows: out[c * rows + r] = in[r * cols + c].
//
// Launched with ceil(cols / 32) × ceil(rows / 32) blocks, at least one in each direction, of 32 × 32 threads.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[32][33];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * 32, col = blockIdx.x * 32; // the tile's corner in the input
    if (row + y < rows && col + x < cols) {
        tile[y][x] = in[size_t(row + y) * cols + col + x];
    }
    __syncthreads();
    if (col + y < cols && row + x < rows) {
        out[size_t(col + y) * rows + row + x] = tile[y][x];
    }
}
