// BROKEN: plain increments.
//
// `x += 1` in memory is three steps: load, add, store. Two threads that load the same count store
// the same sum, and one key is lost; on a GPU nearly all of them are. Adding is not the problem:
// coming between is.
// Caught by: the verdict; the race detector (global memory, write against read).
//
// histogram_<dtype>(const dtype* in, u32* out, size_t n, Bins bins)
// Launch: as global_atomics.cu.
#include "../histogram.cuh"

template <typename T> __device__ void count(const T* in, u32* out, size_t n, Bins bins) {
    // ANCHOR: kernel
    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        out[counter_of(in[i], bins)] += 1;
    }
    // ANCHOR_END: kernel
}

FOR_EACH_KEY(HISTOGRAM_KERNEL)
