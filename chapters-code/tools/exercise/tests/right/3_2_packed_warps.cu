// exercise 3.2
// Warps scan by shuffles, and a second scan goes over their sums.
extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n) {
    __shared__ int sums[32];
    unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    auto scan = [lane](int x) {
        for (int d = 1; d < 32; d <<= 1) {
            int y = __shfl_up_sync(~0u, x, d);
            if (lane >= d) x += y;
        }
        return x;
    };
    int x = scan(i < n ? in[i] : 0);
    if (lane == 31) sums[warp] = x;
    __syncthreads();
    if (warp == 0) {
        int y = lane < 8 ? sums[lane] : 0;
        y = scan(y) - y;
        __syncwarp();
        sums[lane] = y;
    }
    __syncthreads();
    if (i < n) out[i] = x + sums[warp];
}
