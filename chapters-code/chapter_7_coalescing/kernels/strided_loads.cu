// A copy that takes one element of several: out[i] = in[i * stride].
//
// strided_loads(const float* in, float* out, size_t n, size_t stride)
// Launch: ceil(n / block) blocks (at least 1), any block. Reads n elements of `in`, the last at
// (n - 1) * stride, and writes out[0 .. n].

// ANCHOR: kernel
extern "C" __global__ void strided_loads(const float* __restrict__ in, float* __restrict__ out,
                                         size_t n, size_t stride) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i * stride];
    }
}
// ANCHOR_END: kernel
