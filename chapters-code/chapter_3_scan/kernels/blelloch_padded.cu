// Blelloch's scan without most of its bank conflicts: a word is skipped after every 32.
//
// In blelloch the threads of a warp work 2 * stride words apart, and from a stride of 16 on all in
// one bank. Skipping a word after every 32 shifts each row of the banks against the one before.
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n, dtype* sums)
// Launch: ceil(n / (2 * block)) blocks (at least 1), block a power of two up to 512, dynamic shared
// memory (2 * block + 2 * block / 32) * sizeof(dtype). Block b writes the scan of its 2 * block
// elements, and their aggregate to sums[b].
#include "operators.cuh"

// ANCHOR: padded
// Where element j lies.
__device__ unsigned padded(unsigned j) { return j + j / 32; }
// ANCHOR_END: padded

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, T* sums) {
    T* tree = shared_array<T>();
    unsigned tid = threadIdx.x, size = 2 * blockDim.x;
    size_t start = size_t(blockIdx.x) * size;
    T own[2]; // kept in registers for the result
#pragma unroll
    for (unsigned k = 0; k < 2; k++) {
        unsigned j = tid + k * blockDim.x;
        own[k] = start + j < n ? in[start + j] : Op::identity();
        tree[padded(j)] = own[k];
    }
    // ANCHOR: up
    // Up: the last element of every 2 * stride becomes the aggregate of all of them.
    for (unsigned stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        unsigned right = 2 * stride * (tid + 1) - 1;
        if (right < size) {
            tree[padded(right)] = Op::combine(tree[padded(right - stride)], tree[padded(right)]);
        }
    }
    // ANCHOR_END: up
    __syncthreads();
    if (tid == 0) {
        sums[blockIdx.x] = tree[padded(size - 1)];
        tree[padded(size - 1)] = Op::identity();
    }
    // ANCHOR: down
    // Down: a node hands its prefix to its left child, and to the right one the prefix with the left
    // child's aggregate behind it.
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned right = 2 * stride * (tid + 1) - 1;
        if (right < size) {
            T left = tree[padded(right - stride)];
            tree[padded(right - stride)] = tree[padded(right)];
            tree[padded(right)] = Op::combine(tree[padded(right)], left);
        }
    }
    // ANCHOR_END: down
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 2; k++) {
        unsigned j = tid + k * blockDim.x;
        if (start + j < n) {
            T prefix = tree[padded(j)];
            out[start + j] = result<KIND, Op>(prefix, own[k]);
        }
    }
}

FOR_EVERY_RUNG(BLOCKS_KERNEL)
// The aggregates of blocks are scanned in the same way, but exclusively.
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, u32)
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, f64)
BLOCKS_KERNEL(exclusive, Exclusive, max, Max, i32)
