// Broken: one block per segment, without the barrier at the end of a round. A fast warp writes its aggregate of
// the next round while a slow one still reads those of this round.
//
// inclusive_sum_f32, launch and results as block_per_segment.cu.
#include "../flagged.cuh"

extern "C" __global__ void inclusive_sum_f32(const f32* __restrict__ in, f32* __restrict__ out,
                                             const u32* __restrict__ offsets, u32 segments) {
    using Op = Sum<f32>;
    __shared__ f32 aggregates[32];
    u32 begin = offsets[blockIdx.x], end = offsets[blockIdx.x + 1];
    f32 carry = 0;
    // ANCHOR: rounds
    for (size_t first = begin; first < end; first += blockDim.x) {
        size_t i = first + threadIdx.x;
        f32 x = i < end ? in[i] : 0.0f;
        f32 scanned = warp_scan<Op>(x);
        Before<f32> before = scan_warps<Op>(aggregates, scanned);
        if (i < end) {
            out[i] = carry + before.warp + scanned;
        }
        carry += before.block_aggregate;
        // Missing: __syncthreads().
    }
    // ANCHOR_END: rounds
}
