// blelloch_padded for other kinds, operators and types: <kind>_<op>_<dtype>, launched as inclusive_sum_f32 is.
// The file that includes this one defines padded.
#pragma once
#include "types.cuh"

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, T* sums) {
    T* tree = reinterpret_cast<T*>(shared_memory);
    unsigned tid = threadIdx.x, size = 2 * blockDim.x;
    size_t start = size_t(blockIdx.x) * size;
    T own[2]; // the thread's elements, kept in registers for the results
    for (unsigned k = 0; k < 2; k++) {
        unsigned j = tid + k * blockDim.x;
        own[k] = start + j < n ? in[start + j] : Op::identity();
        tree[padded(j)] = own[k];
    }
    // Up: the last element of every 2 * stride becomes the aggregate of all of them.
    for (unsigned stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        unsigned right = 2 * stride * (tid + 1) - 1;
        if (right < size) {
            tree[padded(right)] = Op::combine(tree[padded(right - stride)], tree[padded(right)]);
        }
    }
    __syncthreads();
    if (tid == 0) {
        sums[blockIdx.x] = tree[padded(size - 1)];
        tree[padded(size - 1)] = Op::identity();
    }
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
    __syncthreads();
    for (unsigned k = 0; k < 2; k++) {
        unsigned j = tid + k * blockDim.x;
        if (start + j < n) {
            T prefix = tree[padded(j)];
            out[start + j] = result<KIND, Op>(prefix, own[k]);
        }
    }
}

BOTH_KINDS(BLOCKS_KERNEL, sum, Sum, i64)
