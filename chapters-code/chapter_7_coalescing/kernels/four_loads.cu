// Packs on one side only: stores are whole packs, and the four elements of each are loaded one by one,
// because in + offset need not begin at a multiple of 16 bytes.
//
// Neighbouring lanes load elements that are 16 bytes apart, so each of the four requests touches every
// sector of the warp's 512 bytes.
//
// four_loads(const float* in, float* out, size_t n, size_t offset); out 16-byte aligned
// Launch: ceil(n / 4 / block) blocks (at least 1), any block. Reads in[offset .. offset + n], writes
// out[0 .. n].

// ANCHOR: kernel
extern "C" __global__ void four_loads(const float* __restrict__ in, float* __restrict__ out,
                                      size_t n, size_t offset) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t packs = n / 4;
    if (i < packs) {
        const float* from = in + offset + 4 * i;
        reinterpret_cast<float4*>(out)[i] = make_float4(from[0], from[1], from[2], from[3]);
    }
    if (i < n % 4) {
        out[4 * packs + i] = in[offset + 4 * packs + i];
    }
}
// ANCHOR_END: kernel
