// Broken: puts before each element the aggregate of the block before its own, and of no block before that.
// Right for two blocks, wrong for three.
//
// <op>_<dtype>, arguments and launch as add_block_offsets.cu, with the blocks' aggregates as they are, not scanned.
#include "../operators.cuh"

extern "C" __global__ void sum_f32(f32* __restrict__ out, size_t n, const f32* __restrict__ aggregates,
                                   size_t items_per_block) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    // ANCHOR: add_block_offsets
    if (i < n && i >= items_per_block) {
        out[i] = aggregates[i / items_per_block - 1] + out[i];
    }
    // ANCHOR_END: add_block_offsets
}
