// Copies packs of 16 bytes: what reading and writing together can reach.
//
// One pack per thread: with as many threads as packs, enough loads are in flight. (More packs a thread
// were tried on an H200, and were slower.)
//
// copy(const float4* in, float4* out, size_t packs); both 16-byte aligned
// Launch: ceil(packs / block) blocks (at least 1), any block; 256 is a good one.
extern "C" __global__ void copy(const float4* __restrict__ in, float4* __restrict__ out,
                                size_t packs) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < packs) {
        out[i] = in[i];
    }
}
