// BROKEN: plain increments.
//
// `x += 1` in memory is three steps: load, add, store. Two threads that load the same count store
// the same sum, and one key is lost; on a GPU nearly all of them are. Adding is not the problem:
// coming between is.
// Caught by: the verdict; the race detector (global memory, write against read).
//
// Launch: as global_atomics.cu.
#include "../histogram.cuh"

// ANCHOR: kernel
extern "C" __global__ void histogram_u32(const u32* __restrict__ in, u32* out, size_t n,
                                         Bins bins) {
    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        u32 c = min(in[i], bins.count);
        out[c] += 1;
    }
}
// ANCHOR_END: kernel
