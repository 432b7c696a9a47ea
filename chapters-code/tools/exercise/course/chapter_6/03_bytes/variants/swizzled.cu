// No padding at all: the XOR suits every size of element.
extern "C" __global__ void transpose(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                                     unsigned rows, unsigned cols) {
    __shared__ unsigned char tile[32 * 32];
    const unsigned x = threadIdx.x, row = blockIdx.y << 5, col = blockIdx.x << 5;
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        unsigned y = threadIdx.y + 8 * k;
        if (row + y < rows && col + x < cols) tile[y << 5 | (x ^ y)] = in[size_t(row + y) * cols + (col + x)];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        unsigned y = threadIdx.y + 8 * k;
        if (col + y < cols && row + x < rows) out[size_t(col + y) * rows + (row + x)] = tile[x << 5 | (y ^ x)];
    }
}
