// Broken: whole packs, and nothing else. Where n is no multiple of four, the last elements are not copied.
//
// tail_dropped, arguments and launch as packs.cu

// ANCHOR: kernel
extern "C" __global__ void tail_dropped(const float* __restrict__ in, float* __restrict__ out,
                                        size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
    }
}
// ANCHOR_END: kernel
