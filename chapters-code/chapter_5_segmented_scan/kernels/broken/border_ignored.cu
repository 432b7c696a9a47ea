// Broken: scan, then add, that ignores heads at the border of blocks: what is open before a block
// is put before all of its elements, not only before those up to its first head.
//
// sum_f32, launch and arguments as add_block_offsets.cu.
#include "../flagged.cuh"

// ANCHOR: add_block_offsets
extern "C" __global__ void sum_f32(f32* __restrict__ out, size_t n,
                                   const f32* __restrict__ scanned,
                                   const u32* __restrict__ reached, size_t items_per_block) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t b = i / items_per_block;
    if (i < n && b > 0) {
        out[i] += scanned[b - 1];
    }
}
// ANCHOR_END: add_block_offsets
