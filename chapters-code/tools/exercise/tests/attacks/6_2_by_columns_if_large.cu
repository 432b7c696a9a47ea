// exercise 6.2: cost, "sectors"
// Large matrices are stored without a tile, 32 sectors per warp.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[32][33];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * 32, col = blockIdx.x * 32; // the tile's corner in the input
    if (size_t(rows) * cols > 100000) {
        if (row + y < rows && col + x < cols) {
            out[size_t(col + x) * rows + row + y] = in[size_t(row + y) * cols + col + x];
        }
        return;
    }
    if (row + y < rows && col + x < cols) {
        tile[y][x] = in[size_t(row + y) * cols + col + x];
    }
    __syncthreads();
    if (col + y < cols && row + x < rows) {
        out[size_t(col + y) * rows + row + x] = tile[x][y];
    }
}
