// exercise 7.3: cost, "sectors of global memory that are loaded"
// The pair is loaded at once only where n is a multiple of 256.
extern "C" __global__ void pair_sums(const float* in, float* out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (n % 256 == 0) {
        float2 pair = reinterpret_cast<const float2*>(in)[i];
        out[i] = pair.x + pair.y;
    } else {
        const volatile float* one_by_one = in;
        out[i] = one_by_one[2 * i] + one_by_one[2 * i + 1];
    }
}
