// A copy by packs of four: 16 bytes per access, the most that a load or a store can move on this GPU.
//
// packs(const float* in, float* out, size_t n); both 16-byte aligned
// Launch: ceil(n / 4 / block) blocks (at least 1), any block; 256 is a good one. Writes out[0 .. n].

// ANCHOR: kernel
extern "C" __global__ void packs(const float* __restrict__ in, float* __restrict__ out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t packs = n / 4;
    if (i < packs) {
        reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
    }
    if (i < n % 4) {
        out[4 * packs + i] = in[4 * packs + i];
    }
}
// ANCHOR_END: kernel
