// out is the transpose of in: out[c * ld_out + r] = in[r * ld_in + c], for r below rows and c below cols.
//
// Launched with ceil(cols / 32) × ceil(rows / 32) blocks, at least one in each direction, of 32 × 8 threads.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols,
                                     unsigned ld_in, unsigned ld_out) {
    __shared__ float tile[32][33];
    unsigned x = threadIdx.x;
    unsigned row = blockIdx.y * 32, col = blockIdx.x * 32;
    // GAP right for multiples of 32 without gaps; mend it for all sizes and row lengths
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (row + y < rows && col + x < cols) {
            tile[y][x] = in[size_t(row + y) * ld_in + col + x];
        }
    }
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (col + y < cols && row + x < rows) {
            out[size_t(col + y) * ld_out + row + x] = tile[x][y];
        }
    }
    // SKELETON
    //|    if (row + threadIdx.y < rows && col + x < cols) {
    //|        for (unsigned y = threadIdx.y; y < 32; y += 8) {
    //|            tile[y][x] = in[size_t(row + y) * cols + col + x];
    //|        }
    //|        __syncthreads();
    //|        for (unsigned y = threadIdx.y; y < 32; y += 8) {
    //|            out[size_t(col + y) * rows + row + x] = tile[x][y];
    //|        }
    //|    }
    // END GAP
}
