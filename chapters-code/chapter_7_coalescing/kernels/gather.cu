// out[i] = in[indices[i]]: who asks is in order, and what is asked for lies where the indices say.
// `out` might overlap `in`, so its loads are ordinary ones.
//
// gather(const float* in, const unsigned* indices, float* out, size_t n)
// Launch: ceil(n / block) blocks (at least 1), any block. Every index is one of `in`; writes out[0 .. n].

// ANCHOR: kernel
extern "C" __global__ void gather(const float* in, const unsigned* indices, float* out,
                                  size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[indices[i]];
    }
}
// ANCHOR_END: kernel
