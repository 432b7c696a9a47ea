// BROKEN: __syncwarp where the whole block has to wait, between zeroing its counters and counting.
//
// A warp that is early adds to a counter which another warp has yet to zero.
// Caught by: the race detector (shared memory, between warps, missing __syncthreads); on some
// schedules also by the verdict.
//
// Launch: as global_atomics.cu, block >= 64, (bins.count + 3) * 4 bytes of dynamic shared memory.
#include "../histogram.cuh"

extern "C" __global__ void histogram_u32(const u32* __restrict__ in, u32* out, size_t n,
                                         Bins bins) {
    extern __shared__ u32 counters[];
    u32 total = bins.count + EXTRA;
    // ANCHOR: bug
    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        counters[c] = 0;
    }
    __syncwarp(); // too little: the counters are not the warp's alone

    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        u32 c = min(in[i], bins.count);
        atomicAdd(&counters[c], 1);
    }
    // ANCHOR_END: bug
    __syncthreads();
    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        atomicAdd(&out[c], counters[c]);
    }
}
