// exercise 6.6: never-written, ""
// t * (1.0f / across) is below k for some multiples, e.g. 41 * (1.0f / 41): the tile is given to the wrong row
// out is the transpose of the matrix in, both stored by rows. A block takes every fourth tile.
//
// Launched with 4 blocks of 32 × 8 threads.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[32][33];
    unsigned x = threadIdx.x;
    unsigned across = (cols + 31) / 32, down = (rows + 31) / 32;
    float inverse = 1.0f / float(across);
    for (unsigned t = blockIdx.x; t < across * down; t += gridDim.x) {
        unsigned down_there = unsigned(float(t) * inverse), row = down_there * 32, col = (t - down_there * across) * 32;
        for (unsigned y = threadIdx.y; y < 32; y += 8) {
            if (row + y < rows && col + x < cols) {
                tile[y][x] = in[size_t(row + y) * cols + col + x];
            }
        }
        __syncthreads();
        for (unsigned y = threadIdx.y; y < 32; y += 8) {
            if (col + y < cols && row + x < rows) {
                out[size_t(col + y) * rows + row + x] = tile[x][y];
            }
        }
        __syncthreads();
    }
}
