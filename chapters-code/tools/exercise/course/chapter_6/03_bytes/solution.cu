// out is the transpose of a matrix of bytes, both stored by rows.
//
// Launched with ceil(cols / 32) × ceil(rows / 32) blocks of 32 × 8 threads: each thread has four elements of the tile.
// GAP right, but with bank conflicts: how long must a row of the tile be?
constexpr unsigned PITCH = 36;
// SKELETON
//|constexpr unsigned PITCH = 33;
// END GAP

extern "C" __global__ void transpose(const unsigned char* in, unsigned char* out, unsigned rows,
                                     unsigned cols) {
    __shared__ unsigned char tile[32][PITCH];
    unsigned x = threadIdx.x;
    unsigned row = blockIdx.y * 32, col = blockIdx.x * 32;
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
}
