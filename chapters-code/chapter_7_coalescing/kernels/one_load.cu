// As two_loads.cu, with both elements of a pair in one access of 8 bytes.
//
// one_load, arguments and launch as two_loads.cu; in 8-byte aligned

// ANCHOR: kernel
extern "C" __global__ void one_load(const float* in, float* __restrict__ out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 pair = reinterpret_cast<const float2*>(in)[i];
        out[i] = pair.x + pair.y;
    }
}
// ANCHOR_END: kernel
