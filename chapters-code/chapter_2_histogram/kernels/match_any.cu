// Lanes with the same counter agree on one addition.
//
// Where most keys are the same, lanes of one warp wait for each other in warp_copies. Here each lane
// asks which others have its counter (__match_any_sync), and the first of them adds for all. One
// copy a block, as in shared_atomics: what is left for a warp to add goes to different counters.
//
// histogram_<dtype>(const dtype* in, u32* partials, size_t n, Bins bins)
// Launch: as shared_atomics.cu, block a multiple of 32.
#include "histogram.cuh"

template <typename T> __device__ void count(const T* in, u32* partials, size_t n, Bins bins) {
    u32 total = bins.count + EXTRA;
    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        counters[c] = 0;
    }
    __syncthreads();

    // ANCHOR: match
    u32 lane = threadIdx.x % 32;
    size_t grid = size_t(gridDim.x) * blockDim.x;
    // The same number of turns for all lanes of a warp: they have to meet at the match.
    for (size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x - lane; first < n;
         first += grid) {
        size_t i = first + lane;
        u32 there = __ballot_sync(0xffffffff, i < n);
        if (i < n) {
            u32 c = counter_of(in[i], bins);
            u32 same = __match_any_sync(there, c);
            if (lane == __ffs(same) - 1) {
                atomicAdd(&counters[c], __popc(same));
            }
        }
    }
    // ANCHOR_END: match
    __syncthreads();

    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        partials[size_t(blockIdx.x) * total + c] = counters[c];
    }
}

FOR_EACH_KEY(HISTOGRAM_KERNEL)
