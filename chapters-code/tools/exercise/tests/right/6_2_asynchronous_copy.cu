// exercise 6.2
// The tile is filled by asynchronous copies.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[32][33];
    unsigned x = threadIdx.x, y = threadIdx.y, c = blockIdx.x * 32 + x, r = blockIdx.y * 32 + y;
    if (r < rows && c < cols) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(&tile[y][x])), "l"(&in[size_t(r) * cols + c]) : "memory");
    }
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    c = blockIdx.x * 32 + y, r = blockIdx.y * 32 + x;
    if (r < rows && c < cols) out[size_t(c) * rows + r] = tile[x][y];
}
