// exercise 6.5: wrong|row-length|uninitialised|out-of-bounds|gap-written|never-written, ""
// The gaps of the tests that are public, 3 and 5, instead of those that are given.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols, unsigned ld_in, unsigned ld_out) {
    __shared__ float tile[32][33];
    unsigned x = threadIdx.x;
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        unsigned r = blockIdx.y * 32 + y, c = blockIdx.x * 32 + x;
        if (r < rows && c < cols) tile[y][x] = in[size_t(r) * (cols + 3) + c];
    }
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        unsigned r = blockIdx.y * 32 + x, c = blockIdx.x * 32 + y;
        if (r < rows && c < cols) out[size_t(c) * (rows + 5) + r] = tile[x][y];
    }
}
