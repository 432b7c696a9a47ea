// Blelloch's scan without most of its bank conflicts: a word is skipped after every 32.
//
// In blelloch the threads of a warp work 2 * stride words apart, and from a stride of 16 on all in
// one bank. Skipping a word after every 32 shifts each row of the banks against the one before.
//
// Launch: ceil(n / (2 * block)) blocks (at least 1), block a power of two up to 512, dynamic shared
// memory (2 * block + 2 * block / 32) * sizeof(float). Block b writes the scan of its 2 * block
// elements, and their sum to sums[b].

// ANCHOR: padded
// Where element j lies.
__device__ unsigned padded(unsigned j) { return j + j / 32; }
// ANCHOR_END: padded

#include "blelloch_padded_types.cuh"

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
        tree[padded(j)] = own[k];
    }

    // ANCHOR: up
    // Up: the last element of every 2 * stride becomes the sum of all of them.
    for (unsigned stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        unsigned right = 2 * stride * (tid + 1) - 1;
        if (right < size) {
            tree[padded(right)] = tree[padded(right - stride)] + tree[padded(right)];
        }
    }
    // ANCHOR_END: up

    __syncthreads();
    if (tid == 0) {
        sums[blockIdx.x] = tree[padded(size - 1)];
        tree[padded(size - 1)] = 0.0f;
    }

    // Down: a node hands its prefix to its left child, and to the right one the prefix with the left
    // child's sum behind it.
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned right = 2 * stride * (tid + 1) - 1;
        if (right < size) {
            float left = tree[padded(right - stride)];
            tree[padded(right - stride)] = tree[padded(right)];
            tree[padded(right)] = tree[padded(right)] + left;
        }
    }
    __syncthreads();

    for (unsigned k = 0; k < 2; k++) {
        unsigned j = tid + k * blockDim.x;
        if (start + j < n) {
            out[start + j] = tree[padded(j)] + own[k];
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
