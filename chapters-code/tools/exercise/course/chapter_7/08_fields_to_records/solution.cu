// out[8 * i + k] = in[k * cols + i]: fields k = 0 … 7 of `cols` records, each by itself, become records.
//
// Launched with ceil(cols / 256) blocks, at least one, of 256 threads.
extern "C" __global__ void records(const float* in, float* out, size_t cols) {
    unsigned t = threadIdx.x;
    size_t first = size_t(blockIdx.x) * 256;
    // GAP right, but the stores are 32 bytes apart; store neighbouring floats, without conflicts in shared memory
    constexpr unsigned PITCH = 260;
    __shared__ float tile[8 * PITCH];
    if (first + t < cols) {
        for (unsigned k = 0; k < 8; k++) {
            tile[PITCH * k + t] = in[k * cols + first + t];
        }
    }
    __syncthreads();
    for (unsigned p = t; p < 8 * 256; p += 256) {
        if (8 * first + p < 8 * cols) {
            out[8 * first + p] = tile[PITCH * (p % 8) + p / 8];
        }
    }
    // SKELETON
    //|    if (first + t < cols) {
    //|        for (unsigned k = 0; k < 8; k++) {
    //|            out[8 * (first + t) + k] = in[k * cols + first + t];
    //|        }
    //|    }
    // END GAP
}
