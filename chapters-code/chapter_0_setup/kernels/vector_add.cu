// The first kernel: out[i] = a[i] + b[i], one thread per element.
//
// vector_add(const float* a, const float* b, float* out, size_t n)
// Launch: ceil(n / block) blocks (at least 1), any block; 256 is a good one.
// ANCHOR: kernel
extern "C" __global__ void vector_add(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
// ANCHOR_END: kernel
