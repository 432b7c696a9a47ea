// A fold in shared memory, a row for each warp.
extern "C" __global__ void reduce(const int* in, const unsigned* offsets, int* out, unsigned segments) {
    __shared__ int rows[8][32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, s = blockIdx.x * 8 + warp;
    if (s >= segments) return;
    int* row = rows[warp];
    int x = 1 << 31;
    for (unsigned i = offsets[s] + lane; i < offsets[s + 1]; i += 32) x = max(x, in[i]);
    row[lane] = x;
    __syncwarp();
    for (unsigned half = 16; half > 0; half /= 2) {
        if (lane < half) row[lane] = max(row[lane], row[lane + half]);
        __syncwarp();
    }
    if (lane == 0) out[s] = row[0];
}
