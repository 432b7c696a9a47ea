// Each warp turns 32 records by itself, in rows of 36 words.
extern "C" __global__ void records(const float* in, float* out, size_t cols) {
    __shared__ float tiles[8][8][36];
    unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float(*tile)[36] = tiles[warp];
    size_t first = size_t(blockIdx.x) * 256 + 32 * warp;
    if (first >= cols) return;
    size_t count = min(cols - first, size_t(32));
    for (unsigned k = 0; k < 8; ++k)
        if (lane < count) tile[k][lane] = in[k * cols + first + lane];
    __syncwarp();
    for (unsigned p = lane; p < 8 * count; p += 32) out[8 * first + p] = tile[p & 7][p >> 3];
}
