// exercise 6.6
// Two tiles take turns, so that one barrier a tile is enough.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tiles[2][32][33];
    unsigned x = threadIdx.x, across = (cols + 31) / 32, down = (rows + 31) / 32, turn = 0;
    for (unsigned t = blockIdx.x; t < across * down; t += gridDim.x, turn ^= 1) {
        unsigned row = t / across * 32, col = t % across * 32;
        for (unsigned y = threadIdx.y; y < 32; y += 8) {
            if (row + y < rows && col + x < cols) tiles[turn][y][x] = in[size_t(row + y) * cols + col + x];
        }
        __syncthreads();
        for (unsigned y = threadIdx.y; y < 32; y += 8) {
            if (col + y < cols && row + x < rows) out[size_t(col + y) * rows + row + x] = tiles[turn][x][y];
        }
    }
}
