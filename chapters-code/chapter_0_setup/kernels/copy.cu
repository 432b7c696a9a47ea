// Copies packs of 16 bytes: what reading and writing together can reach.
//
// copy(const float4* in, float4* out, size_t packs); both 16-byte aligned
// Launch: ceil(packs / (4 * block)) blocks (at least 1), any block; 256 is a good one. Each block
// copies 4 * block packs in a row, each thread 4 of them, all loaded before the first is stored.
constexpr unsigned LOADS = 4;

extern "C" __global__ void copy(const float4* __restrict__ in, float4* __restrict__ out,
                                size_t packs) {
    size_t first = size_t(blockIdx.x) * (LOADS * blockDim.x) + threadIdx.x;
    float4 pack[LOADS];
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++) {
        if (first + k * blockDim.x < packs) {
            pack[k] = in[first + k * blockDim.x];
        }
    }
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++) {
        if (first + k * blockDim.x < packs) {
            out[first + k * blockDim.x] = pack[k];
        }
    }
}
