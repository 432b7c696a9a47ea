// BROKEN: the bin of a float by a multiplication alone.
//
// Every x below `high` has (x - low) * m / (high - low) < m, says arithmetic. Rounded, it may be m:
// in [-1, 1), that of the greatest float below 1 is. And x = high is let in. Both write
// behind the last bin: into the first bin of the next warp's copy, and the last warp's behind all.
// Caught by: the verdict. Behind the last copy there is one word here, so that nothing else is hit.
//
// Launch: as global_atomics.cu, (block / 32 * bins.count + 1) * 4 bytes of dynamic shared memory.
#include "../histogram.cuh"

extern "C" __global__ void histogram_f32(const f32* __restrict__ in, u32* out, size_t n,
                                         Bins bins) {
    extern __shared__ u32 counters[];
    u32 warps = blockDim.x / 32;
    u32* own = counters + threadIdx.x / 32 * bins.count;
    for (u32 c = threadIdx.x; c <= warps * bins.count; c += blockDim.x) {
        counters[c] = 0;
    }
    __syncthreads();

    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        // ANCHOR: bug
        f32 x = in[i];
        if (x >= bins.low && x <= bins.high) {
            atomicAdd(&own[u32((x - bins.low) * bins.scale)], 1);
        }
        // ANCHOR_END: bug
    }
    __syncthreads();
    for (u32 c = threadIdx.x; c < bins.count; c += blockDim.x) {
        for (u32 warp = 0; warp < warps; warp++) {
            atomicAdd(&out[c], counters[warp * bins.count + c]);
        }
    }
}
