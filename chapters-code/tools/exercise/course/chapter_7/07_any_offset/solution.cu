// out[i] = in[i + offset] for i below n; in has offset + n elements, and both begin at multiples of 16 bytes.
//
// Launched with ceil(n / 1024) blocks, at least one, of 256 threads.

// Four elements of eight, from number `by` on, for by up to 3.
__device__ float4 joined(float4 low, float4 high, unsigned by) {
    // GAP put the pack together
    switch (by) {
    case 0: return low;
    case 1: return make_float4(low.y, low.z, low.w, high.x);
    case 2: return make_float4(low.z, low.w, high.x, high.y);
    default: return make_float4(low.w, high.x, high.y, high.z);
    }
    // SKELETON
    //|    return low;
    // END GAP
}

extern "C" __global__ void shifted_copy(const float* in, float* out, size_t n, size_t offset) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    // GAP right only where the offset is a multiple of 4; load two packs per thread, and mind the end
    const float4* from = reinterpret_cast<const float4*>(in) + offset / 4;
    unsigned by = offset % 4;
    size_t last = (offset + n) / 4 - offset / 4; // whole packs of in from there on
    size_t packs = by == 0 ? n / 4 : last > 0 ? last - 1 : 0;
    if (i < packs) {
        float4 low = from[i], high = by == 0 ? low : from[i + 1];
        reinterpret_cast<float4*>(out)[i] = joined(low, high, by);
    }
    if (i < n - 4 * packs) {
        out[4 * packs + i] = in[offset + 4 * packs + i];
    }
    // SKELETON
    //|    if (i < n / 4) {
    //|        reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in + offset)[i];
    //|    }
    //|    if (i < n % 4) {
    //|        out[n / 4 * 4 + i] = in[offset + n / 4 * 4 + i];
    //|    }
    // END GAP
}
