// exercise 7.8: cost|not-begun, ""
// Stores 32 bytes apart.
extern "C" __global__ void records(const float* in, float* out, size_t cols) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i >= cols) return;
    for (unsigned k = 0; k < 8; k++) out[8 * i + k] = in[k * cols + i];
}
