// The pack behind a lane's own is the next lane's: only the last lane loads two.
extern "C" __global__ void shifted_copy(const float* __restrict__ in, float* __restrict__ out, size_t n,
                                        size_t offset) {
    const float4* packed = (const float4*)in;
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x, first = offset / 4;
    const unsigned by = offset & 3, lane = threadIdx.x & 31;
    const size_t whole = (offset + n) / 4, packs = by == 0 ? n / 4 : (whole > first ? whole - first - 1 : 0);
    float4 low{}, high{};
    if (i < packs) low = packed[first + i];
    high.x = __shfl_down_sync(~0u, low.x, 1);
    high.y = __shfl_down_sync(~0u, low.y, 1);
    high.z = __shfl_down_sync(~0u, low.z, 1);
    if (i < packs && by != 0 && (lane == 31 || i + 1 == packs)) high = packed[first + i + 1];
    const float e[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    float4 pack;
    pack.x = by == 0 ? e[0] : by == 1 ? e[1] : by == 2 ? e[2] : e[3];
    pack.y = by == 0 ? e[1] : by == 1 ? e[2] : by == 2 ? e[3] : e[4];
    pack.z = by == 0 ? e[2] : by == 1 ? e[3] : by == 2 ? e[4] : e[5];
    pack.w = by == 0 ? e[3] : by == 1 ? e[4] : by == 2 ? e[5] : e[6];
    if (i < packs) ((float4*)out)[i] = pack;
    for (size_t k = 4 * packs + i; k < n; k += size_t(gridDim.x) * blockDim.x) out[k] = in[offset + k];
}
