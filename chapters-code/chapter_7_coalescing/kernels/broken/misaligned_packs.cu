// Broken: the packs of `in` are said to begin at the offset. A cast does not align them: where the offset
// is no multiple of four elements, a load of 16 bytes from there is a fault.
//
// misaligned_packs, arguments and launch as two_packs.cu

// ANCHOR: kernel
extern "C" __global__ void misaligned_packs(const float* __restrict__ in, float* __restrict__ out,
                                            size_t n, size_t offset) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t packs = n / 4;
    if (i < packs) {
        reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in + offset)[i];
    }
    if (i < n % 4) {
        out[4 * packs + i] = in[offset + 4 * packs + i];
    }
}
// ANCHOR_END: kernel
