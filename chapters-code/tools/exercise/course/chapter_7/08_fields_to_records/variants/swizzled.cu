// The tile has the records' layout; within a record, fields are permuted by an XOR with its number.
__device__ unsigned place(unsigned record, unsigned field) {
    return 8 * record + (field ^ (record / 4 % 8));
}

extern "C" __global__ void records(const float* __restrict__ in, float* __restrict__ out, size_t cols) {
    __shared__ float tile[2048];
    const size_t first = 256ull * blockIdx.x, i = first + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 8; k++) tile[place(threadIdx.x, k)] = i < cols ? in[cols * k + i] : 0.0f;
    __syncthreads();
    float* to = out + 8 * first;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        unsigned p = 256 * k + threadIdx.x;
        if (first + p / 8 < cols) to[p] = tile[place(p / 8, p % 8)];
    }
}
