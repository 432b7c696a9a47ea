// A histogram per warp, in shared memory.
//
// In shared_atomics the warps of a block meet at the same counters. Here each warp has a copy of its
// own, and the block adds its copies up in the end. So lanes of a warp still meet, warps do not.
//
// histogram_<dtype>(const dtype* in, u32* partials, size_t n, Bins bins)
// Launch: as shared_atomics.cu, block a multiple of 32, block / 32 * (bins.count + 3) * 4 bytes of
// dynamic shared memory.
#include "histogram.cuh"

template <typename T> __device__ void count(const T* in, u32* partials, size_t n, Bins bins) {
    // ANCHOR: kernel
    u32 total = bins.count + EXTRA;
    u32 warps = blockDim.x / 32;
    u32* own = counters + threadIdx.x / 32 * total;
    for (u32 c = threadIdx.x; c < warps * total; c += blockDim.x) {
        counters[c] = 0;
    }
    __syncthreads();

    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        u32 c = counter_of(in[i], bins);
        atomicAdd(&own[c], 1);
    }
    __syncthreads();

    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        u32 sum = 0;
        for (u32 warp = 0; warp < warps; warp++) {
            sum += counters[warp * total + c];
        }
        partials[size_t(blockIdx.x) * total + c] = sum;
    }
    // ANCHOR_END: kernel
}

FOR_EACH_KEY(HISTOGRAM_KERNEL)
