// Packs on both sides: a thread loads the two aligned packs that its four elements lie across, and keeps
// what it wants of them.
//
// two_packs(const float* in, float* out, size_t n, size_t offset); both 16-byte aligned
// Launch: ceil(n / 4 / block) blocks (at least 1), any block of 32 threads or more. Reads
// in[0 .. offset + n], writes out[0 .. n].
#include "shifted.cuh"

// ANCHOR: kernel
extern "C" __global__ void two_packs(const float* __restrict__ in, float* __restrict__ out,
                                     size_t n, size_t offset) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t packs = whole_packs(n, offset);
    unsigned by = unsigned(offset % 4);
    const float4* from = reinterpret_cast<const float4*>(in) + offset / 4;
    if (i < packs) {
        float4 low = from[i], high = low;
        if (by != 0) {
            high = from[i + 1];
        }
        reinterpret_cast<float4*>(out)[i] = shifted(low, high, by);
    }
    if (i < n - 4 * packs) {
        out[4 * packs + i] = in[offset + 4 * packs + i];
    }
}
// ANCHOR_END: kernel
