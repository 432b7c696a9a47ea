// How much of the tile there is, computed once; loops end there.
extern "C" __global__ void transpose(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                     unsigned cols, unsigned ld_in, unsigned ld_out) {
    __shared__ float tile[32 * 33];
    unsigned row = blockIdx.y * 32, col = blockIdx.x * 32;
    unsigned height = row < rows ? min(32u, rows - row) : 0, width = col < cols ? min(32u, cols - col) : 0;
    const float* from = in + size_t(row) * ld_in + col;
    float* to = out + size_t(col) * ld_out + row;
    for (unsigned y = threadIdx.y; y < height; y += 8)
        if (threadIdx.x < width) tile[33 * y + threadIdx.x] = from[size_t(y) * ld_in + threadIdx.x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < width; y += 8)
        if (threadIdx.x < height) to[size_t(y) * ld_out + threadIdx.x] = tile[33 * threadIdx.x + y];
}
