// A histogram per block, in shared memory.
//
// In global_atomics all threads of the device meet at the same few counters. Here the threads of a
// block have counters of their own, near by. In the end each block writes its histogram as a row of
// a matrix; the columns of that matrix are then summed by chapter 1's columns_block.
//
// Launch: min(ceil(n / block), what the device holds at once) blocks (at least 1), any block,
// (bins.count + 3) * 4 bytes of dynamic shared memory. Writes bins.count + 3 counters per block.
#include "histogram.cuh"

// ANCHOR: kernel
extern "C" __global__ void histogram_u32(const u32* __restrict__ in, u32* partials, size_t n,
                                         Bins bins) {
    extern __shared__ u32 counters[];
    u32 total = bins.count + EXTRA;
    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        counters[c] = 0;
    }
    __syncthreads();

    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        u32 c = min(in[i], bins.count);
        atomicAdd(&counters[c], 1);
    }
    __syncthreads();

    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        partials[size_t(blockIdx.x) * total + c] = counters[c];
    }
}
// ANCHOR_END: kernel

#include "shared_atomics_types.cuh"
