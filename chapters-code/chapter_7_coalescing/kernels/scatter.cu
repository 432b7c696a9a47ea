// out[indices[i]] = in[i]: the same on the side of the stores.
//
// scatter(const float* in, const unsigned* indices, float* out, size_t n)
// Launch: ceil(n / block) blocks (at least 1), any block. Every index below n occurs once; writes
// out[0 .. n].

// ANCHOR: kernel
extern "C" __global__ void scatter(const float* __restrict__ in,
                                   const unsigned* __restrict__ indices, float* __restrict__ out,
                                   size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[indices[i]] = in[i];
    }
}
// ANCHOR_END: kernel
