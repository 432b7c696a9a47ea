// exercise 3.3: cost, "longest warp"
// One thread composes all maps of all blocks.
__device__ long long combine(long long first, long long then) {
    unsigned a1 = first >> 32, b1 = first, a2 = then >> 32, b2 = then;
    return (long long)((unsigned long long)(a1 * a2) << 32 | (a2 * b1 + b2));
}

extern "C" __global__ void scan_from_the_right(const long long* in, long long* out, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (size_t end = n; end > 0;) {
        size_t begin = (end - 1) / 256 * 256;
        long long x = 1ll << 32;
        for (size_t i = end; i-- > begin;) out[i] = x = combine(in[i], x);
        end = begin;
    }
}
