// A copy whose stores begin anywhere: out[i + offset] = in[i].
//
// offset_stores(const float* in, float* out, size_t n, size_t offset)
// Launch: ceil(n / block) blocks (at least 1), any block. Reads in[0 .. n], writes
// out[offset .. offset + n].

// ANCHOR: kernel
extern "C" __global__ void offset_stores(const float* __restrict__ in, float* __restrict__ out,
                                         size_t n, size_t offset) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i + offset] = in[i];
    }
}
// ANCHOR_END: kernel
