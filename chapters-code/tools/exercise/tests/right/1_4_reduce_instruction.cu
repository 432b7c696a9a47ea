// exercise 1.4
// The instruction that finds a warp's maximum, and an atomic in shared memory.
extern "C" __global__ void maximum(const int* in, int* out, size_t n) {
    __shared__ int most;
    if (threadIdx.x == 0) most = (-2147483647 - 1);
    __syncthreads();
    int x = (-2147483647 - 1);
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) x = max(x, in[i]);
    asm("redux.sync.max.s32 %0, %1, 0xffffffff;" : "=r"(x) : "r"(x));
    if (threadIdx.x % 32 == 0) atomicMax(&most, x);
    __syncthreads();
    if (threadIdx.x == 0) *out = most;
}
