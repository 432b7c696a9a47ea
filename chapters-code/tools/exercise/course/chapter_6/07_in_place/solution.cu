// Transposes the n × n matrix, stored by rows, onto itself.
//
// Launched with ceil(n / 32) × ceil(n / 32) blocks, at least one, of 32 × 8 threads.
extern "C" __global__ void transpose_in_place(float* matrix, unsigned n) {
    __shared__ float upper[32][33];
    __shared__ float lower[32][33];
    unsigned x = threadIdx.x;
    unsigned row = blockIdx.y * 32, col = blockIdx.x * 32;
    // GAP load both tiles, wait, and store each in the other's place
    if (row > col) {
        return;
    }
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (row + y < n && col + x < n) {
            upper[y][x] = matrix[size_t(row + y) * n + col + x];
        }
        if (row < col && col + y < n && row + x < n) {
            lower[y][x] = matrix[size_t(col + y) * n + row + x];
        }
    }
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (col + y < n && row + x < n) {
            matrix[size_t(col + y) * n + row + x] = upper[x][y];
        }
        if (row < col && row + y < n && col + x < n) {
            matrix[size_t(row + y) * n + col + x] = lower[x][y];
        }
    }
    // END GAP
}
