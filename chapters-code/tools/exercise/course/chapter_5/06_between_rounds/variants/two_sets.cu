// Two sets of words take turns: one barrier a round.
extern "C" __global__ void scan_segments(const int* in, const unsigned* offsets, int* out, unsigned segments) {
    __shared__ int folds[2][8];
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, s = blockIdx.x;
    if (s >= segments) return;
    const unsigned begin = offsets[s], end = offsets[s + 1];
    int carry = 0;
    for (unsigned round = 0; begin + 256 * round < end; round++) {
        int* mine = folds[round % 2];
        const unsigned i = begin + 256 * round + threadIdx.x;
        int x = 0;
        if (i < end) x = in[i];
        for (unsigned offset = 1; offset < 32; offset += offset) {
            int other = __shfl_up_sync(~0u, x, offset);
            if (offset <= lane) x += other;
        }
        if (lane == 31) mine[warp] = x;
        __syncthreads();
        for (unsigned w = 0; w < 8; w++) {
            if (w == warp && i < end) out[i] = x + carry;
            carry += mine[w];
        }
    }
}
