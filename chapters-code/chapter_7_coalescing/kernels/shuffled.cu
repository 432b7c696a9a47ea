// Packs on both sides, each loaded once: the pack behind a lane's own is the next lane's, and comes by a
// shuffle. Only the last lane of a warp has to load it.
//
// shuffled(const float* in, float* out, size_t n, size_t offset); both 16-byte aligned
// Launch: ceil(n / 4 / block) blocks (at least 1), a multiple of 32 threads. Reads in[0 .. offset + n],
// writes out[0 .. n].
#include "shifted.cuh"

// ANCHOR: kernel
extern "C" __global__ void shuffled(const float* __restrict__ in, float* __restrict__ out, size_t n,
                                    size_t offset) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t packs = whole_packs(n, offset);
    unsigned by = unsigned(offset % 4), lane = threadIdx.x % 32;
    const float4* from = reinterpret_cast<const float4*>(in) + offset / 4;
    float4 low = i < packs ? from[i] : float4{};
    float4 high;
    high.x = __shfl_down_sync(~0u, low.x, 1);
    high.y = __shfl_down_sync(~0u, low.y, 1);
    high.z = __shfl_down_sync(~0u, low.z, 1);
    high.w = 0; // never wanted
    if (i < packs) {
        bool is_last = lane == 31 || i + 1 == packs;
        if (by != 0 && is_last) {
            high = from[i + 1];
        }
        reinterpret_cast<float4*>(out)[i] = shifted(low, high, by);
    }
    if (i < n - 4 * packs) {
        out[4 * packs + i] = in[offset + 4 * packs + i];
    }
}
// ANCHOR_END: kernel
