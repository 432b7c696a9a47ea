// Rows of 44 bytes, 11 words: odd, too. Consecutive rows a warp instead of every eighth.
extern "C" __global__ void transpose(const unsigned char* in, unsigned char* out, unsigned rows,
                                     unsigned cols) {
    __shared__ unsigned char tile[32 * 44];
    unsigned x = threadIdx.x, first = 4 * threadIdx.y;
    size_t row = blockIdx.y * 32, col = blockIdx.x * 32;
    for (unsigned y = first; y < first + 4; ++y)
        tile[44 * y + x] = (row + y < rows && col + x < cols) ? in[(row + y) * cols + col + x] : 0;
    __syncthreads();
    for (unsigned y = first; y < first + 4; ++y)
        if (col + y < cols && row + x < rows) out[(col + y) * rows + row + x] = tile[44 * x + y];
}
