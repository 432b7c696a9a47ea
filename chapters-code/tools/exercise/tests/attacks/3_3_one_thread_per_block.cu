// exercise 3.3: cost, "longest warp"
// One thread composes all maps of its block.
__device__ long long combine(long long first, long long then) {
    unsigned a1 = first >> 32, b1 = first, a2 = then >> 32, b2 = then;
    return (long long)((unsigned long long)(a1 * a2) << 32 | (a2 * b1 + b2));
}

extern "C" __global__ void scan_from_the_right(const long long* in, long long* out, size_t n) {
    if (threadIdx.x) return;
    size_t begin = size_t(blockIdx.x) * 256, end = begin + 256 < n ? begin + 256 : n;
    long long x = 1ll << 32;
    for (size_t i = end; i-- > begin;) out[i] = x = combine(in[i], x);
}
