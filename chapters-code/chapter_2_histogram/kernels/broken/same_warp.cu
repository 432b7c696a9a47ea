// BROKEN: plain increments of a warp's own copy.
//
// A copy a warp keeps the warps apart, and a warp's instructions follow one another: so why atomics?
// Because lanes of one instruction may have the same key. Both load the same count, and one of the
// two additions is lost.
// Caught by: the verdict; the race detector (shared memory, same warp).
//
// Launch: as global_atomics.cu, block / 32 * (bins.count + 3) * 4 bytes of dynamic shared memory.
#include "../histogram.cuh"

extern "C" __global__ void histogram_u32(const u32* __restrict__ in, u32* out, size_t n,
                                         Bins bins) {
    extern __shared__ u32 counters[];
    u32 total = bins.count + EXTRA;
    u32 warps = blockDim.x / 32;
    u32* own = counters + threadIdx.x / 32 * total;
    for (u32 c = threadIdx.x; c < warps * total; c += blockDim.x) {
        counters[c] = 0;
    }
    __syncthreads();

    // ANCHOR: bug
    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        u32 c = min(in[i], bins.count);
        own[c] += 1; // the warp's own, but not the lane's
    }
    // ANCHOR_END: bug
    __syncthreads();
    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        for (u32 warp = 0; warp < warps; warp++) {
            atomicAdd(&out[c], counters[warp * total + c]);
        }
    }
}
