// exercise 6.2
// An mbarrier in place of __syncthreads().
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[32][33];
    __shared__ __align__(8) unsigned long long barrier;
    unsigned x = threadIdx.x, y = threadIdx.y, c = blockIdx.x * 32 + x, r = blockIdx.y * 32 + y;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (x == 0 && y == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1024;" ::"r"(at) : "memory");
    __syncthreads();
    if (r < rows && c < cols) tile[y][x] = in[size_t(r) * cols + c];
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(at) : "memory");
    unsigned done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
    }
    c = blockIdx.x * 32 + y, r = blockIdx.y * 32 + x;
    if (r < rows && c < cols) out[size_t(c) * rows + r] = tile[x][y];
}
