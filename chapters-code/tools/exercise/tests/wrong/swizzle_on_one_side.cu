// out is the transpose of a matrix of doubles, both stored by rows.
//
// Launched with ceil(cols / 32) × ceil(rows / 32) blocks of 32 × 8 threads, with 8,192 bytes of shared memory.

// Where the element in that row and column of the tile lies.
__device__ unsigned place(unsigned row, unsigned col) {
    return 32 * row + (col ^ row);
}

extern "C" __global__ void transpose(const double* in, double* out, unsigned rows, unsigned cols) {
    extern __shared__ double tile[];
    unsigned x = threadIdx.x;
    unsigned row = blockIdx.y * 32, col = blockIdx.x * 32;
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (row + y < rows && col + x < cols) {
            tile[32 * y + x] = in[size_t(row + y) * cols + col + x];
        }
    }
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (col + y < cols && row + x < rows) {
            out[size_t(col + y) * rows + row + x] = tile[place(x, y)];
        }
    }
}
