// exercise 7.5: many-elements|lost-element|part-only|wrong, ""
// The number of a row has 16 bits.
extern "C" __global__ void column_sums(const unsigned* in, unsigned* out, unsigned rows, unsigned cols) {
    __shared__ unsigned sums[8][32];
    unsigned x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 32 + x, sum = 0;
    if (col < cols) for (unsigned k = 0; k < 256 && 8 * k + y < rows; k++) sum += in[size_t(8 * k + y) * cols + col];
    sums[y][x] = sum;
    __syncthreads();
    if (y == 0 && col < cols) { for (unsigned w = 1; w < 8; w++) sum += sums[w][x]; out[col] = sum; }
}
