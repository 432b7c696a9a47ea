// exercise 7.7: misaligned, ""
// A pack of four from any address.
extern "C" __global__ void shifted_copy(const float* in, float* out, size_t n, size_t offset) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (4 * i + 3 < n) {
        reinterpret_cast<float4*>(out)[i] = *reinterpret_cast<const float4*>(in + offset + 4 * i);
    } else {
        for (size_t k = 4 * i; k < n; k++) out[k] = in[k + offset];
    }
}
