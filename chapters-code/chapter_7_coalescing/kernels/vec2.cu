// A copy by pairs: 8 bytes per access.
//
// A pair must begin at a multiple of 8 bytes: both arrays do, because the driver allocates so, and what
// remains behind the last pair is copied by elements.
//
// vec2(const float* in, float* out, size_t n); both 8-byte aligned
// Launch: ceil(n / 2 / block) blocks (at least 1), any block; 256 is a good one. Writes out[0 .. n].

// ANCHOR: kernel
extern "C" __global__ void vec2(const float* __restrict__ in, float* __restrict__ out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t pairs = n / 2;
    if (i < pairs) {
        reinterpret_cast<float2*>(out)[i] = reinterpret_cast<const float2*>(in)[i];
    }
    if (i < n % 2) {
        out[2 * pairs + i] = in[2 * pairs + i];
    }
}
// ANCHOR_END: kernel
