// exercise 3.6: cost, "longest warp"
// One thread composes all maps of its block.
__device__ long long combine(long long first, long long then) {
    unsigned a1 = first >> 32, b1 = first, a2 = then >> 32, b2 = then;
    return (long long)((unsigned long long)(a1 * a2) << 32 | (a2 * b1 + b2));
}

extern "C" __global__ void scan_blocks(const long long* in, long long* out, size_t n) {
    if (threadIdx.x) return;
    long long x = 1ll << 32;
    for (size_t i = size_t(blockIdx.x) * 256; i < n && i < size_t(blockIdx.x) * 256 + 256; i++) out[i] = x = combine(x, in[i]);
}
