// Shuffles; two arrays of folds take turns, so that one barrier a round is enough.
extern "C" __global__ void scan_max(const int* __restrict__ in, int* __restrict__ out, size_t n) {
    __shared__ int folds[2][8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, lowest = -2147483647 - 1;
    int carry = lowest, turn = 0;
    for (size_t first = 0; first < n; first += 256, turn ^= 1) {
        size_t i = first + threadIdx.x;
        int x = i < n ? in[i] : lowest;
        for (int offset = 1; offset < 32; offset <<= 1) {
            int other = __shfl_up_sync(0xffffffff, x, offset);
            if (lane >= offset) x = max(x, other);
        }
        if (lane == 31) folds[turn][warp] = x;
        x = __shfl_up_sync(0xffffffff, x, 1);
        if (lane == 0) x = lowest;
        __syncthreads();
        for (int w = 0; w < 8; w++) {
            if (w == warp && i < n) out[i] = max(carry, x);
            carry = max(carry, folds[turn][w]);
        }
    }
}
