// exercise 3.6: wrong|swapped|part-only|lost-element|doubled-element|shifted|unchanged|warp-alone|previous-warp, "out["
// A map that changes nothing is taken for one that is not there.
__device__ long long combine(long long first, long long then) {
    unsigned a1 = first >> 32, b1 = first, a2 = then >> 32, b2 = then;
    return (long long)((unsigned long long)(a1 * a2) << 32 | (a2 * b1 + b2));
}

extern "C" __global__ void scan_blocks(const long long* in, long long* out, size_t n) {
    __shared__ long long folds[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    const long long nothing = 1ll << 32;
    long long x = i < n ? in[i] : nothing;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        long long other = __shfl_up_sync(0xffffffffu, x, offset);
        if (lane >= offset && x != nothing) x = combine(other, x);
    }
    if (lane == 31) folds[warp] = x;
    __syncthreads();
    long long before = nothing;
    for (unsigned k = 0; k < warp; k++) before = combine(before, folds[k]);
    if (i < n) out[i] = combine(before, x);
}
