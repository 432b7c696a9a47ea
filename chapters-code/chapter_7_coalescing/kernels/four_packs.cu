// A copy by packs, four of them a thread: all are asked for before the first is stored.
//
// four_packs(const float* in, float* out, size_t n); both 16-byte aligned
// Launch: ceil(n / 4096) blocks (at least 1) of 256 threads. Writes out[0 .. n].
constexpr unsigned THREADS = 256;
constexpr unsigned LOADS = 4;

// ANCHOR: kernel
extern "C" __global__ void __launch_bounds__(THREADS)
    four_packs(const float* __restrict__ in, float* __restrict__ out, size_t n) {
    size_t first = size_t(blockIdx.x) * THREADS * LOADS + threadIdx.x;
    size_t packs = n / 4;
    const float4* from = reinterpret_cast<const float4*>(in);
    float4* to = reinterpret_cast<float4*>(out);
    float4 pack[LOADS];
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++) {
        if (first + k * THREADS < packs) {
            pack[k] = from[first + k * THREADS];
        }
    }
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++) {
        if (first + k * THREADS < packs) {
            to[first + k * THREADS] = pack[k];
        }
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x < n % 4) {
        out[4 * packs + threadIdx.x] = in[4 * packs + threadIdx.x];
    }
}
// ANCHOR_END: kernel
