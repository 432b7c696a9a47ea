// Another algorithm: a thread has two neighbours in registers, and the warps' sums are shuffled.
extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n) {
    __shared__ int sums[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t i = size_t(blockIdx.x) * 512 + 2 * threadIdx.x;
    int a = i < n ? in[i] : 0, b = i + 1 < n ? in[i + 1] : 0;
    int x = a + b;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int other = __shfl_up_sync(~0u, x, offset);
        x += lane >= offset ? other : 0;
    }
    if (lane == 31) sums[warp] = x;
    __syncthreads();
    int before = x - a - b;
    for (unsigned w = 0; w < warp; w++) before += sums[w];
    if (i < n) out[i] = before;
    if (i + 1 < n) out[i + 1] = before + a;
}
