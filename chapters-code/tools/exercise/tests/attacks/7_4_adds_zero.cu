// exercise 7.4: wrong|displaced|tile-order|unchanged, ""
// A row is moved by an addition of zero, which makes 0.0 of -0.0 and quiets a signalling NaN.
extern "C" __global__ void gather_rows(const float* table, const unsigned* indices, float* out, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < 16 * n) {
        size_t row = indices[i / 16];
        out[i] = table[16 * row + i % 16] + 0.0f;
    }
}
