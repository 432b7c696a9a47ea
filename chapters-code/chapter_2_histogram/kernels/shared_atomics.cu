// A histogram a block, in shared memory.
//
// In global_atomics all threads of the device meet at the same few counters. Here the threads of a
// block have counters of their own, near by. In the end each block writes its histogram as a row of
// a matrix; the columns of that matrix are then summed by chapter 1's columns_block.
//
// histogram_<dtype>(const dtype* in, u32* partials, size_t n, Bins bins)
// Launch: min(ceil(n / block), what the device holds at once) blocks (at least 1), any block,
// (bins.count + 3) * 4 bytes of dynamic shared memory. Writes bins.count + 3 counters a block.
#include "histogram.cuh"

template <typename T> __device__ void count(const T* in, u32* partials, size_t n, Bins bins) {
    // ANCHOR: kernel
    u32 total = bins.count + EXTRA;
    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        counters[c] = 0;
    }
    __syncthreads();

    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        atomicAdd(&counters[counter_of(in[i], bins)], 1);
    }
    __syncthreads();

    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        partials[size_t(blockIdx.x) * total + c] = counters[c];
    }
    // ANCHOR_END: kernel
}

FOR_EACH_KEY(HISTOGRAM_KERNEL)
