// exercise 7.5
// The sums of a column meet by atomics.
extern "C" __global__ void column_sums(const unsigned* in, unsigned* out, unsigned rows, unsigned cols) {
    __shared__ unsigned sums[32];
    unsigned c = blockIdx.x * 32 + threadIdx.x;
    if (threadIdx.y == 0) sums[threadIdx.x] = 0;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned r = threadIdx.y; c < cols && r < rows; r += blockDim.y) sum += in[size_t(r) * cols + c];
    atomicAdd(&sums[threadIdx.x], sum);
    __syncthreads();
    if (threadIdx.y == 0 && c < cols) out[c] = sums[threadIdx.x];
}
