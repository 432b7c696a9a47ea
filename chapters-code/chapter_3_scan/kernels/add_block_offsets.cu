// Scan, then add: puts before each element what came before its block.
//
// <op>_<dtype>(dtype* out, size_t n, const dtype* before, size_t items_per_block)
// Launch: ceil(n / block) blocks, no dynamic shared memory. out[i] becomes before[i / items_per_block] op out[i].
#include "operators.cuh"

// ANCHOR: add_block_offsets
template <typename Op, typename T>
__device__ void add_block_offsets(T* out, size_t n, const T* before, size_t items_per_block) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = Op::combine(before[i / items_per_block], out[i]);
    }
}
// ANCHOR_END: add_block_offsets

#define KERNEL(name, Op, dtype) \
    extern "C" __global__ void name##_##dtype(dtype* __restrict__ out, size_t n, \
                                              const dtype* __restrict__ before, size_t items_per_block) { \
        add_block_offsets<Op<dtype>>(out, n, before, items_per_block); \
    }
FOR_EVERY_RUNGS_OPERATORS(KERNEL)
