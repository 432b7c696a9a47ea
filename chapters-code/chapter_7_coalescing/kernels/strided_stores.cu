// The other side: out[i * stride] = in[i], and what lies between stays as it is.
//
// strided_stores(const float* in, float* out, size_t n, size_t stride)
// Launch: ceil(n / block) blocks (at least 1), any block. Reads in[0 .. n], and writes n elements of
// `out`, the last at (n - 1) * stride.

// ANCHOR: kernel
extern "C" __global__ void strided_stores(const float* __restrict__ in, float* __restrict__ out,
                                          size_t n, size_t stride) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i * stride] = in[i];
    }
}
// ANCHOR_END: kernel
