// Scan, then add: puts what is open before a block before those of its elements that no head
// separates from it.
//
// <op>_<dtype>(dtype* out, size_t n, const dtype* scanned, const u32* reached, size_t items_per_block)
// Launch: ceil(n / block) blocks, no dynamic shared memory. scanned is the inclusive segmented scan of
// the blocks' pairs: what is open before block b is scanned[b - 1], and it reaches the first reached[b]
// elements of the block.
#include "flagged.cuh"

// ANCHOR: add_block_offsets
template <typename Op, typename T>
__device__ void add_block_offsets(T* out, size_t n, const T* scanned, const u32* reached,
                                  size_t items_per_block) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t b = i / items_per_block;
    if (i < n && b > 0 && i - b * items_per_block < reached[b]) {
        out[i] = Op::combine(scanned[b - 1], out[i]);
    }
}
// ANCHOR_END: add_block_offsets

#define KERNEL(name, Op, dtype) \
    extern "C" __global__ void name##_##dtype(dtype* __restrict__ out, size_t n, \
                                              const dtype* __restrict__ scanned, \
                                              const u32* __restrict__ reached, size_t items_per_block) { \
        add_block_offsets<Op<dtype>>(out, n, scanned, reached, items_per_block); \
    }
KERNEL(sum, Sum, i64)
KERNEL(sum, Sum, f32)
KERNEL(affine, Affine, i64)
