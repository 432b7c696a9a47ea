// exercise 6.2: cost, "sectors"
// One lane repeats its store, so that the mean number of sectors falls.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    unsigned r = blockIdx.y * 32 + threadIdx.y, c = blockIdx.x * 32 + threadIdx.x;
    if (r >= rows || c >= cols) return;
    volatile float* at = &out[size_t(c) * rows + r];
    float v = in[size_t(r) * cols + c];
    *at = v;
    if (threadIdx.x == 0) { for (int k = 0; k < 10; k++) *at = v; }
}
