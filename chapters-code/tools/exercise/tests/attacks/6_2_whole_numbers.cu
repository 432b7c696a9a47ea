// exercise 6.2: displaced|wrong|tile-order|lost-element|never-written, ""
// The tile holds whole numbers.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ unsigned tile[32][33];
    unsigned x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32, col = blockIdx.x * 32;
    if (row + y < rows && col + x < cols) tile[y][x] = unsigned(in[size_t(row + y) * cols + col + x]);
    __syncthreads();
    if (col + y < cols && row + x < rows) out[size_t(col + y) * rows + row + x] = float(tile[x][y]);
}
