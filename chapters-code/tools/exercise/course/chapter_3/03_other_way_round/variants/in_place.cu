// One array and two barriers a step.
__device__ long long then(long long f, long long g) {
    unsigned long long a = (unsigned long long)f >> 32, b = (unsigned)f;
    unsigned long long c = (unsigned long long)g >> 32, d = (unsigned)g;
    return (a * c) << 32 | (unsigned)(c * b + d);
}

extern "C" __global__ void scan_from_the_right(const long long* in, long long* out, size_t n) {
    __shared__ long long maps[256];
    const int t = threadIdx.x;
    const size_t i = blockIdx.x * size_t(256) + t;
    long long mine = 1ll << 32;
    if (i < n) mine = in[i];
    for (int offset = 1; offset < 256; offset *= 2) {
        maps[t] = mine;
        __syncthreads();
        if (t + offset <= 255) mine = then(mine, maps[t + offset]);
        __syncthreads();
    }
    if (i < n) out[i] = mine;
}
