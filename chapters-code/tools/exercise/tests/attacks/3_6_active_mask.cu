// exercise 3.6: active-mask, "does not participate"
// The mask of the lanes that happen to be together, for the steps of a scan.
__device__ long long combine(long long first, long long then) {
    unsigned a1 = first >> 32, b1 = first, a2 = then >> 32, b2 = then;
    return (long long)((unsigned long long)(a1 * a2) << 32 | (a2 * b1 + b2));
}

const long long IDENTITY = 1ll << 32;

extern "C" __global__ void scan_blocks(const long long* in, long long* out, size_t n) {
    __shared__ long long folds[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    long long x = i < n ? in[i] : IDENTITY;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        long long other = __shfl_up_sync(__activemask(), x, offset);
        if (lane >= offset) {
            x = combine(other, x);
        }
    }
    if (lane == 31) {
        folds[warp] = x;
    }
    __syncthreads();
    long long before = IDENTITY;
    for (unsigned w = 0; w < warp; w++) {
        before = combine(before, folds[w]);
    }
    if (i < n) {
        out[i] = combine(before, x);
    }
}
