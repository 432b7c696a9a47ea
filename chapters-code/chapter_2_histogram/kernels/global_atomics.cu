// Atomic increments in global memory.
//
// racy lost counts between a load and a store. An atomic add lets nothing come between: the L2
// cache, where all multiprocessors meet, does the addition itself. A thread that wants the same
// counter waits there.
//
// Launch: min(ceil(n / block), what the device holds at once) blocks (at least 1), any block, no
// dynamic shared memory. Adds to out[0 .. bins.count + 3], which is zero beforehand.
#include "histogram.cuh"

// ANCHOR: kernel
extern "C" __global__ void histogram_u32(const u32* __restrict__ in, u32* out, size_t n,
                                         Bins bins) {
    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        u32 c = min(in[i], bins.count);
        atomicAdd(&out[c], 1);
    }
}
// ANCHOR_END: kernel

#include "global_atomics_types.cuh"
