// Atomic increments in global memory.
//
// racy lost counts between a load and a store. An atomic add lets nothing come between: the L2
// cache, where all multiprocessors meet, does the addition itself. A thread that wants the same
// counter waits there.
//
// histogram_<dtype>(const dtype* in, u32* out, size_t n, Bins bins)
// Launch: min(ceil(n / block), what the device holds at once) blocks (at least 1), any block, no
// dynamic shared memory. Adds to out[0 .. bins.count + 3], which is zero beforehand.
#include "histogram.cuh"

template <typename T> __device__ void count(const T* in, u32* out, size_t n, Bins bins) {
    // ANCHOR: kernel
    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        atomicAdd(&out[counter_of(in[i], bins)], 1);
    }
    // ANCHOR_END: kernel
}

FOR_EACH_KEY(HISTOGRAM_KERNEL)
