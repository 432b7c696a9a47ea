// exercise 6.2: missing-barrier|uninitialised, "tile"
// A __syncwarp() does not wait for other warps.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[32][33];
    unsigned x = threadIdx.x, y = threadIdx.y, c = blockIdx.x * 32 + x, r = blockIdx.y * 32 + y;
    if (r < rows && c < cols) tile[y][x] = in[size_t(r) * cols + c];
    __syncwarp();
    c = blockIdx.x * 32 + y, r = blockIdx.y * 32 + x;
    if (r < rows && c < cols) out[size_t(c) * rows + r] = tile[x][y];
}
