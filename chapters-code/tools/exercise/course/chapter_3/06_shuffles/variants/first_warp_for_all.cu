// The first warp scans the folds for all, and the others wait for it: two barriers.
__device__ long long combine(long long first, long long then) {
    unsigned a1 = first >> 32, b1 = first, a2 = then >> 32, b2 = then;
    return (long long)((unsigned long long)(a1 * a2) << 32 | (a2 * b1 + b2));
}

__device__ long long warp_scan(long long x, unsigned lane) {
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        long long other = __shfl_up_sync(0xffffffff, x, offset);
        if (lane >= offset) x = combine(other, x);
    }
    return x;
}

extern "C" __global__ void scan_blocks(const long long* in, long long* out, size_t n) {
    __shared__ long long before[9];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    long long x = 1ll << 32;
    if (i < n) x = in[i];
    x = warp_scan(x, lane);
    if (lane == 31) before[warp + 1] = x;
    if (threadIdx.x == 0) before[0] = 1ll << 32;
    __syncthreads();
    if (warp == 0) {
        long long fold = lane < 9 ? before[lane] : 1ll << 32;
        fold = warp_scan(fold, lane);
        if (lane < 9) before[lane] = fold;
    }
    __syncthreads();
    if (i < n) out[i] = combine(before[warp], x);
}
