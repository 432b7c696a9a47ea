// exercise 7.3
// A load of two words in PTX, past the first cache.
extern "C" __global__ void pair_sums(const float* in, float* out, size_t n) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    float a, b;
    asm("ld.global.cg.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "l"(__cvta_generic_to_global(in + 2 * i)));
    out[i] = a + b;
}
