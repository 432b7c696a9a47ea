// Rows are rotated by their number instead: a Latin square as well.
extern "C" __global__ void transpose(const double* __restrict__ in, double* __restrict__ out, unsigned rows,
                                     unsigned cols) {
    extern __shared__ double tile[];
    const unsigned x = threadIdx.x, row = 32 * blockIdx.y, col = 32 * blockIdx.x;
    for (unsigned y = threadIdx.y; y < 32; y += blockDim.y)
        if (row + y < rows && col + x < cols) tile[32 * y + (x + y) % 32] = in[(size_t)cols * (row + y) + col + x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += blockDim.y)
        if (col + y < cols && row + x < rows) out[(size_t)rows * (col + y) + row + x] = tile[32 * x + (y + x) % 32];
}
