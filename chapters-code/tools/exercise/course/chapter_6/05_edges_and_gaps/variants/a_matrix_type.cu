// The matrix as an object that knows its bounds, and a swizzled tile.
template <typename T> struct Matrix {
    T* first;
    unsigned height, width, pitch;
    __device__ bool has(unsigned r, unsigned c) const { return r < height && c < width; }
    __device__ T& at(unsigned r, unsigned c) const { return first[(unsigned long long)pitch * r + c]; }
};

extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols,
                                     unsigned ld_in, unsigned ld_out) {
    __shared__ float tile[32][32];
    Matrix<const float> a{in, rows, cols, ld_in};
    Matrix<float> b{out, cols, rows, ld_out};
    const unsigned r0 = 32 * blockIdx.y, c0 = 32 * blockIdx.x, x = threadIdx.x, y0 = threadIdx.y;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        unsigned y = y0 + 8 * k;
        tile[y][x ^ y] = a.has(r0 + y, c0 + x) ? a.at(r0 + y, c0 + x) : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++) {
        unsigned y = y0 + 8 * k;
        if (b.has(c0 + y, r0 + x)) b.at(c0 + y, r0 + x) = tile[x][y ^ x];
    }
}
