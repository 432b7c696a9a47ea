// exercise 6.2: cost, "sectors of global memory that are stored"
// The tile is used only where both sides of the matrix are multiples of 32.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[32][33];
    unsigned x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32, col = blockIdx.x * 32;
    if (rows % 32 || cols % 32) {
        if (row + y < rows && col + x < cols) out[size_t(col + x) * rows + row + y] = in[size_t(row + y) * cols + col + x];
        return;
    }
    tile[y][x] = in[size_t(row + y) * cols + col + x];
    __syncthreads();
    out[size_t(col + y) * rows + row + x] = tile[x][y];
}
