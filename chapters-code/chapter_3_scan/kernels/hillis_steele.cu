// Hillis and Steele's scan of a block: log2 B steps, in which every thread adds what lies 2^k before.
//
// Step k reads what step k - 1 wrote and writes elsewhere: with two buffers that take turns, a step
// needs one barrier.
//
// Launch: ceil(n / block) blocks (at least 1), block up to 1024, dynamic shared memory
// 2 * block * sizeof(float). Block b writes the scan of its block elements, and their sum to sums[b].
#include "hillis_steele_types.cuh"

// ANCHOR: kernel
extern "C" __global__ void inclusive_sum_f32(const float* __restrict__ in, float* __restrict__ out,
                                             size_t n, float* __restrict__ sums) {
    extern __shared__ float shared_memory[];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    float* from = shared_memory;
    float* to = from + blockDim.x;
    from[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();

    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        float x = from[tid];
        to[tid] = tid >= offset ? from[tid - offset] + x : x;
        __syncthreads();
        float* free = from;
        from = to;
        to = free;
    }

    if (i < n) {
        out[i] = from[tid];
    }
    if (tid == blockDim.x - 1) {
        sums[blockIdx.x] = from[tid];
    }
}
// ANCHOR_END: kernel

// The other kinds, operators and types.
FOR_REST_OF_EVERY_RUNG(BLOCKS_KERNEL)
// The aggregates of blocks are scanned in the same way, but exclusively.
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, u32)
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, f64)
BLOCKS_KERNEL(exclusive, Exclusive, max, Max, i32)
