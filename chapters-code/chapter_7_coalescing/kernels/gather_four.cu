// As gather.cu, four elements per thread: their indices are one pack, and so are the results. Between the two
// there are four loads under way.
//
// gather_four(const float* in, const unsigned* indices, float* out, size_t n); indices and out 16-byte
// aligned
// Launch: ceil(n / 4 / block) blocks (at least 1), any block. Every index is one of `in`; writes
// out[0 .. n].

// ANCHOR: kernel
extern "C" __global__ void gather_four(const float* __restrict__ in,
                                       const unsigned* __restrict__ indices,
                                       float* __restrict__ out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t packs = n / 4;
    if (i < packs) {
        uint4 at = reinterpret_cast<const uint4*>(indices)[i];
        reinterpret_cast<float4*>(out)[i] = make_float4(in[at.x], in[at.y], in[at.z], in[at.w]);
    }
    if (i < n % 4) {
        out[4 * packs + i] = in[indices[4 * packs + i]];
    }
}
// ANCHOR_END: kernel
