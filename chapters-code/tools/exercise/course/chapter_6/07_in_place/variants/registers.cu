// One tile of shared memory: the mirror image waits in registers until the first tile is out of it.
extern "C" __global__ void transpose_in_place(float* matrix, unsigned n) {
    __shared__ float tile[32][33];
    const unsigned x = threadIdx.x, row = blockIdx.y * 32, col = blockIdx.x * 32;
    if (blockIdx.y > blockIdx.x) return;
    const bool mirror = row != col;
    float held[4];
    for (int k = 0; k < 4; k++) {
        unsigned y = threadIdx.y + 8 * k;
        if (row + y < n && col + x < n) tile[y][x] = matrix[size_t(row + y) * n + col + x];
        held[k] = mirror && col + y < n && row + x < n ? matrix[size_t(col + y) * n + row + x] : 0;
    }
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        unsigned y = threadIdx.y + 8 * k;
        if (col + y < n && row + x < n) matrix[size_t(col + y) * n + row + x] = tile[x][y];
    }
    if (!mirror) return;
    __syncthreads();
    for (int k = 0; k < 4; k++) tile[threadIdx.y + 8 * k][x] = held[k];
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        unsigned y = threadIdx.y + 8 * k;
        if (row + y < n && col + x < n) matrix[size_t(row + y) * n + col + x] = tile[x][y];
    }
}
