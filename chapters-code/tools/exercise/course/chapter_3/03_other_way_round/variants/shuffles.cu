// Shuffles downwards within a warp, and then what the warps behind it come to.
__device__ long long combine(long long first, long long then) {
    unsigned a1 = first >> 32, b1 = first, a2 = then >> 32, b2 = then;
    return (long long)((unsigned long long)(a1 * a2) << 32 | (a2 * b1 + b2));
}

#define IDENTITY (1ll << 32)

extern "C" __global__ void scan_from_the_right(const long long* in, long long* out, size_t n) {
    __shared__ long long folds[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    long long x = i < n ? in[i] : IDENTITY;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        long long other = __shfl_down_sync(~0u, x, offset);
        if (lane + offset < 32) x = combine(x, other);
    }
    if (lane == 0) folds[warp] = x;
    __syncthreads();
    long long behind = IDENTITY;
    for (unsigned w = warp + 1; w < 8; w++) behind = combine(behind, folds[w]);
    long long after = behind;
    if (i < n) out[i] = combine(x, after);
}
