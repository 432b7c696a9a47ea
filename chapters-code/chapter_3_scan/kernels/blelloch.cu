// Blelloch's scan of a block: up a tree of sums, and down again with prefixes. 2 (2B - 1) operations
// for 2B elements, where Hillis and Steele's scan makes 2B log2 2B.
//
// Launch: ceil(n / (2 * block)) blocks (at least 1), block a power of two up to 512, dynamic shared
// memory 2 * block * sizeof(float). Block b writes the scan of its 2 * block elements, and their sum to
// sums[b].
#include "blelloch_types.cuh"

// ANCHOR: kernel
extern "C" __global__ void inclusive_sum_f32(const float* __restrict__ in, float* __restrict__ out,
                                             size_t n, float* __restrict__ sums) {
    extern __shared__ float shared_memory[];
    float* tree = shared_memory;
    unsigned tid = threadIdx.x, size = 2 * blockDim.x;
    size_t start = size_t(blockIdx.x) * size;
    float own[2]; // the thread's elements, kept in registers for the results
    for (unsigned k = 0; k < 2; k++) {
        unsigned j = tid + k * blockDim.x;
        own[k] = start + j < n ? in[start + j] : 0.0f;
        tree[j] = own[k];
    }

    // ANCHOR: up
    // Up: the last element of every 2 * stride becomes the sum of all of them.
    for (unsigned stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        unsigned right = 2 * stride * (tid + 1) - 1;
        if (right < size) {
            tree[right] = tree[right - stride] + tree[right];
        }
    }
    // ANCHOR_END: up

    __syncthreads();
    if (tid == 0) {
        sums[blockIdx.x] = tree[size - 1];
        tree[size - 1] = 0.0f;
    }

    // Down: a node hands its prefix to its left child, and to the right one the prefix with the left
    // child's sum behind it.
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned right = 2 * stride * (tid + 1) - 1;
        if (right < size) {
            float left = tree[right - stride];
            tree[right - stride] = tree[right];
            tree[right] = tree[right] + left;
        }
    }
    __syncthreads();

    for (unsigned k = 0; k < 2; k++) {
        unsigned j = tid + k * blockDim.x;
        if (start + j < n) {
            out[start + j] = tree[j] + own[k];
        }
    }
}
// ANCHOR_END: kernel

// The other kinds, operators and types.
FOR_REST_OF_EVERY_RUNG(BLOCKS_KERNEL)
// The aggregates of blocks are scanned in the same way, but exclusively.
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, u32)
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, f64)
BLOCKS_KERNEL(exclusive, Exclusive, max, Max, i32)
