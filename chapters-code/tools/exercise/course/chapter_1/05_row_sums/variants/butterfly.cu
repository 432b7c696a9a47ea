// All lanes get the sum; two loads by hand.
extern "C" __global__ void row_sums(const float* __restrict__ in, float* __restrict__ out, unsigned rows) {
    const unsigned warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const unsigned row = 8 * blockIdx.x + warp;
    if (row < rows) {
        const float* p = in + 48ull * row + lane;
        float x = p[0];
        if (lane < 16) x += p[32];
        x += __shfl_xor_sync(~0u, x, 16);
        x += __shfl_xor_sync(~0u, x, 8);
        x += __shfl_xor_sync(~0u, x, 4);
        x += __shfl_xor_sync(~0u, x, 2);
        x += __shfl_xor_sync(~0u, x, 1);
        if (lane == 31) out[row] = x;
    }
}
