// exercise 3.4
// Each thread takes a pair of neighbours in each round.
extern "C" __global__ void scan_max(const int* in, int* out, size_t n) {
    __shared__ int folds[8];
    const int least = 0x80000000;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int carry = least;
    for (size_t first = 0; first < n; first += 512) {
        size_t i = first + 2 * threadIdx.x;
        int a = i < n ? in[i] : least, b = i + 1 < n ? in[i + 1] : least, x = max(a, b);
        for (unsigned d = 1; d < 32; d *= 2) {
            int y = __shfl_up_sync(0xffffffffu, x, d);
            if (lane >= d) x = max(x, y);
        }
        if (lane == 31) folds[warp] = x;
        int before = __shfl_up_sync(0xffffffffu, x, 1);
        if (lane == 0) before = least;
        __syncthreads();
        int all = carry;
        for (unsigned w = 0; w < 8; w++) {
            if (w == warp) before = max(before, all);
            all = max(all, folds[w]);
        }
        carry = all;
        if (i < n) out[i] = before;
        if (i + 1 < n) out[i + 1] = max(before, a);
        __syncthreads();
    }
}
