// Broken: the last lane of a warp shuffles, too. There is no lane behind it, so it gets its own pack back:
// one pack in 32 has wrong elements at its end.
//
// last_lane, arguments and launch as shuffled.cu
#include "../shifted.cuh"

// ANCHOR: kernel
extern "C" __global__ void last_lane(const float* __restrict__ in, float* __restrict__ out, size_t n,
                                     size_t offset) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t packs = whole_packs(n, offset);
    unsigned by = unsigned(offset % 4);
    const float4* from = reinterpret_cast<const float4*>(in) + offset / 4;
    float4 low = i < packs ? from[i] : float4{};
    float4 high;
    high.x = __shfl_down_sync(~0u, low.x, 1);
    high.y = __shfl_down_sync(~0u, low.y, 1);
    high.z = __shfl_down_sync(~0u, low.z, 1);
    high.w = 0; // never wanted
    if (i < packs) {
        reinterpret_cast<float4*>(out)[i] = shifted(low, high, by);
    }
    if (i < n - 4 * packs) {
        out[4 * packs + i] = in[offset + 4 * packs + i];
    }
}
// ANCHOR_END: kernel
