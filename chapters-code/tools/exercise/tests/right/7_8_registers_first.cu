// exercise 7.8
// All eight fields are in registers before the tile is filled.
extern "C" __global__ void records(const float* in, float* out, size_t cols) {
    __shared__ float tile[8 * 260];
    size_t first = size_t(blockIdx.x) * 256, i = first + threadIdx.x;
    float x[8];
    for (unsigned k = 0; k < 8; k++) x[k] = i < cols ? in[k * cols + i] : 0.0f;
    for (unsigned k = 0; k < 8; k++) tile[260 * k + threadIdx.x] = x[k];
    __syncthreads();
    for (unsigned k = 0; k < 8; k++) {
        unsigned at = 256 * k + threadIdx.x;
        if (8 * first + at < 8 * cols) out[8 * first + at] = tile[260 * (at % 8) + at / 8];
    }
}
