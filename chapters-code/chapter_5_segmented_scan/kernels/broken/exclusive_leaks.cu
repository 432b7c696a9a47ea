// Broken: an exclusive segmented scan made of the inclusive one by a shift. The first element of a
// segment gets the last result of the segment before it instead of the identity.
//
// exclusive_sum_f32, launch and results as shuffle.cu.
#include "../flagged.cuh"

extern "C" __global__ void exclusive_sum_f32(const f32* __restrict__ in,
                                             const u8* __restrict__ flags, f32* __restrict__ out,
                                             size_t n, f32* __restrict__ values,
                                             u8* __restrict__ heads, u32* __restrict__ reached) {
    __shared__ f32 warp_values[32];
    __shared__ bool warp_heads[32];
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    bool is_head = i < n && flags[i] != 0;
    Heads warp(is_head);
    f32 scanned = segmented_warp_scan<Sum<f32>>(i < n ? in[i] : 0.0f, warp);
    Pair<f32> own = {scanned, warp.lanes != 0};
    InBlock<f32> in_block = scan_warps<Sum<f32>>(warp_values, warp_heads, own);
    Pair<f32> lanes = {before_lane<Sum<f32>>(scanned), warp.before};
    Pair<f32> before = combine<Sum<f32>>(in_block.before_warp, lanes);
    // ANCHOR: shift
    if (i < n) {
        out[i] = before.value; // also where is_head
    }
    // ANCHOR_END: shift
    unsigned block_reached = __syncthreads_count(!before.head && !is_head);
    if (threadIdx.x == 0) {
        Aggregates<f32>{values, heads, reached}.write(in_block.block, block_reached);
    }
}
