// BROKEN: zeroes its output in the kernel that other blocks already add to.
//
// To save a memset, each block zeroes the output where it zeroes its own counters. The barrier is one
// for the block: nothing orders the zeroing before the additions of other blocks, and a block that
// is late zeroes what they have added. In ../flag.cuh one block zeroes, and all wait for it.
// Caught by: the race detector (global memory, between blocks); on a GPU, where most blocks begin
// together and add at the end, not always by the verdict.
//
// Launch: as global_atomics.cu, at least two blocks, (bins.count + 3) * 4 bytes of dynamic shared
// memory.
#include "../histogram.cuh"

extern "C" __global__ void histogram_u32(const u32* __restrict__ in, u32* out, size_t n,
                                         Bins bins) {
    extern __shared__ u32 counters[];
    u32 total = bins.count + EXTRA;
    // ANCHOR: bug
    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        counters[c] = 0;
        out[c] = 0;
    }
    __syncthreads(); // for this block; the others do not know of it

    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        u32 c = min(in[i], bins.count);
        atomicAdd(&counters[c], 1);
    }
    __syncthreads();
    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        atomicAdd(&out[c], counters[c]);
    }
    // ANCHOR_END: bug
}
