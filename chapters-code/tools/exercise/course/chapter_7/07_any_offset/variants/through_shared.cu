// Single floats in, by neighbouring lanes; packs out, through shared memory.
extern "C" __global__ void shifted_copy(const float* in, float* out, size_t n, size_t offset) {
    __shared__ alignas(16) float tile[1024];
    const size_t first = size_t(blockIdx.x) * 1024;
    for (unsigned k = threadIdx.x; k < 1024; k += 256)
        if (first + k < n) tile[k] = in[offset + first + k];
    __syncthreads();
    const size_t mine = first + 4 * threadIdx.x;
    if (mine + 4 <= n) {
        *reinterpret_cast<float4*>(out + mine) = *reinterpret_cast<const float4*>(tile + 4 * threadIdx.x);
    } else {
        for (unsigned k = 0; mine + k < n; ++k) out[mine + k] = tile[4 * threadIdx.x + k];
    }
}
