// out[c] is the sum of column c of a matrix stored by rows, modulo 2^32.
//
// Launched with ceil(cols / 32) blocks, at least one, of 32 × 8 threads.
extern "C" __global__ void column_sums(const unsigned* in, unsigned* out, unsigned rows, unsigned cols) {
    __shared__ unsigned sums[8][32];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned col = blockIdx.x * 32 + x;
    unsigned sum = 0;
    if (col < cols) {
        for (unsigned row = y; row < rows; row += 8) {
            sum += in[(unsigned short)(row * cols + col)];
        }
    }
    sums[y][x] = sum;
    __syncthreads();
    if (y == 0 && col < cols) {
        for (unsigned warp = 1; warp < 8; warp++) {
            sum += sums[warp][x];
        }
        out[col] = sum;
    }
}
