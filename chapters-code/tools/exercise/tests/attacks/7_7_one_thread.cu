// exercise 7.7: cost, ""
// One thread copies everything.
extern "C" __global__ void shifted_copy(const float* in, float* out, size_t n, size_t offset) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (size_t i = 0; i < n; i++) out[i] = in[i + offset];
}
