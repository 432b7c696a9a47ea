// exercise 7.3: cost, ""
// One thread adds all pairs.
extern "C" __global__ void pair_sums(const float* in, float* out, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (size_t i = 0; i < n; i++) {
        float2 pair = reinterpret_cast<const float2*>(in)[i];
        out[i] = pair.x + pair.y;
    }
}
