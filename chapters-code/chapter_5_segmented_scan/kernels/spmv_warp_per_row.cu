// Sparse matrix times vector, one warp per row: coalesced, as far as rows are long.
//
// multiply_f32, arguments and results as spmv_thread_per_row.cu.
// Launch: ceil(32 * rows / block) blocks of a multiple of 32 threads, no dynamic shared memory.
#include "reduce.cuh"

extern "C" __global__ void multiply_f32(const f32* __restrict__ values,
                                        const u32* __restrict__ columns,
                                        const u32* __restrict__ offsets,
                                        const f32* __restrict__ x, f32* __restrict__ y, u32 rows) {
    // ANCHOR: multiply
    size_t r = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    if (r < rows) {
        u32 end = offsets[r + 1];
        f32 sum = 0;
        for (size_t i = size_t(offsets[r]) + lane_id(); i < end; i += 32) {
            sum += values[i] * x[columns[i]];
        }
        sum = warp_reduce<Sum<f32>>(sum);
        if (lane_id() == 0) {
            y[r] = sum;
        }
    }
    // ANCHOR_END: multiply
}
