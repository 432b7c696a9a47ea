// The eight sums are folded in halves.
extern "C" __global__ void column_sums(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                       unsigned rows, unsigned cols) {
    __shared__ unsigned sums[256];
    const unsigned t = threadIdx.y * 32 + threadIdx.x, col = blockIdx.x * 32 + threadIdx.x;
    unsigned sum = 0;
    for (unsigned row = threadIdx.y; row < rows && col < cols; row += 8) sum += in[(size_t)cols * row + col];
    sums[t] = sum;
    for (unsigned half = 128; half >= 32; half /= 2) {
        __syncthreads();
        if (t < half) sums[t] += sums[t + half];
    }
    if (t < 32 && col < cols) out[col] = sums[t];
}
