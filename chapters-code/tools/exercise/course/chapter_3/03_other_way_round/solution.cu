// Each block composes its 256 maps from the right: out[i] is in[i], then in[i + 1], … then the block's last one.
//
// A map x -> a x + b has a in its high 32 bits and b in its low ones. Launched with ceil(n / 256) blocks of 256 threads, at
// least one.
__device__ long long combine(long long first, long long then) {
    unsigned a1 = first >> 32, b1 = first, a2 = then >> 32, b2 = then;
    return (long long)((unsigned long long)(a1 * a2) << 32 | (a2 * b1 + b2));
}

const long long IDENTITY = 1ll << 32;

extern "C" __global__ void scan_from_the_right(const long long* in, long long* out, size_t n) {
    __shared__ long long buffers[2][256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    // GAP load a map a thread, scan them from the right in log2(256) steps, and store
    long long* from = buffers[0];
    long long* to = buffers[1];
    from[tid] = i < n ? in[i] : IDENTITY;
    __syncthreads();
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        long long x = from[tid];
        to[tid] = tid + offset < 256 ? combine(x, from[tid + offset]) : x;
        __syncthreads();
        long long* free = from;
        from = to;
        to = free;
    }
    if (i < n) {
        out[i] = from[tid];
    }
    // END GAP
}
