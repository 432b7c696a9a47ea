// Every thread walks backwards; warps fold by shuffles.
extern "C" __global__ void maximum(const int* in, int* out, size_t n) {
    __shared__ int best[8];
    int x = 0x80000000;
    for (size_t left = n; left > threadIdx.x; left -= left < 256 ? left : 256) {
        int y = in[left - 1 - threadIdx.x];
        if (y > x) x = y;
    }
    for (int k = 16; k; k /= 2) x = max(x, __shfl_xor_sync(0xffffffff, x, k));
    if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++) x = max(x, best[k]);
        *out = x;
    }
}
