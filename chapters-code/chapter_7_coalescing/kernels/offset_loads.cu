// A copy whose loads begin anywhere: out[i] = in[i + offset].
//
// If the offset is no multiple of a sector's 8 elements, a warp's 32 neighbours reach over the ends of
// four sectors into a fifth.
//
// offset_loads(const float* in, float* out, size_t n, size_t offset)
// Launch: ceil(n / block) blocks (at least 1), any block. Reads in[offset .. offset + n], writes
// out[0 .. n].

// ANCHOR: kernel
extern "C" __global__ void offset_loads(const float* __restrict__ in, float* __restrict__ out,
                                        size_t n, size_t offset) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i + offset];
    }
}
// ANCHOR_END: kernel
