// A copy by elements: 4 bytes per access, one thread per element.
//
// A warp's request is 32 neighbours, 128 bytes, 4 sectors: all of them wanted.
//
// scalar(const float* in, float* out, size_t n)
// Launch: ceil(n / block) blocks (at least 1), any block; 256 is a good one. Writes out[0 .. n].

// ANCHOR: kernel
extern "C" __global__ void scalar(const float* __restrict__ in, float* __restrict__ out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i];
    }
}
// ANCHOR_END: kernel
