// exercise 1.4
// Packs of four, and the rest one by one.
extern "C" __global__ void maximum(const int* in, int* out, size_t n) {
    __shared__ int folds[8];
    const int least = 0x80000000;
    int x = least;
    const int4* packs = reinterpret_cast<const int4*>(in);
    for (size_t i = threadIdx.x; i < n / 4; i += 256) {
        int4 p = packs[i];
        x = max(x, max(max(p.x, p.y), max(p.z, p.w)));
    }
    size_t rest = n / 4 * 4 + threadIdx.x;
    if (rest < n) x = max(x, in[rest]);
    for (unsigned offset = 16; offset > 0; offset /= 2) x = max(x, __shfl_down_sync(~0u, x, offset));
    if (threadIdx.x % 32 == 0) folds[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = threadIdx.x < 8 ? folds[threadIdx.x] : least;
        for (unsigned offset = 4; offset > 0; offset /= 2) x = max(x, __shfl_down_sync(~0u, x, offset));
        if (threadIdx.x == 0) out[0] = x;
    }
}
