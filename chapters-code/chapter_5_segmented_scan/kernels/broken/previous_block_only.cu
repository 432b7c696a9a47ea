// Broken: scan, then add, that puts before a block the aggregate of the block before it, and of no
// other. Right as long as no segment reaches over a whole block.
//
// sum_f32, launch and arguments as add_block_offsets.cu; `values` are the blocks' aggregates, not scanned.
#include "../flagged.cuh"

// ANCHOR: add_block_offsets
extern "C" __global__ void sum_f32(f32* __restrict__ out, size_t n,
                                   const f32* __restrict__ values,
                                   const u32* __restrict__ reached, size_t items_per_block) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t b = i / items_per_block;
    if (i < n && b > 0 && i - b * items_per_block < reached[b]) {
        out[i] += values[b - 1];
    }
}
// ANCHOR_END: add_block_offsets
