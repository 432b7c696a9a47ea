// Sparse matrix times vector, several lanes per row: as many as the mean row needs, each with four entries in flight.
//
// multiply_f32, arguments and results as spmv_thread_per_row.cu.
// Launch: ceil(rows / blockDim.y) blocks of (lanes, rows) threads, whole warps; lanes is a power of two up to 32; no
// dynamic shared memory.
#include "lanes.cuh"

extern "C" __global__ void multiply_f32(const f32* __restrict__ values,
                                        const u32* __restrict__ columns,
                                        const u32* __restrict__ offsets,
                                        const f32* __restrict__ x, f32* __restrict__ y, u32 rows) {
    // ANCHOR: multiply
    size_t r = size_t(blockIdx.x) * blockDim.y + threadIdx.y;
    bool has_row = r < rows;
    size_t begin = has_row ? offsets[r] : 0, end = has_row ? offsets[r + 1] : 0;
    f32 sum = 0;
    for (size_t i = begin + threadIdx.x; i < end; i += IN_FLIGHT * blockDim.x) {
        f32 value[IN_FLIGHT];
        u32 column[IN_FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < IN_FLIGHT; k++) {
            size_t j = i + k * blockDim.x;
            j = j < end ? j : i; // past the end, the first entry once more
            // Each entry is read once: its line is the first to leave the caches, and x stays.
            value[k] = __ldcs(values + j);
            column[k] = __ldcs(columns + j);
        }
#pragma unroll
        for (unsigned k = 0; k < IN_FLIGHT; k++) {
            f32 product = value[k] * x[column[k]];
            sum += i + k * blockDim.x < end ? product : 0;
        }
    }
    sum = lanes_reduce<Sum<f32>>(sum, blockDim.x);
    if (threadIdx.x == 0 && has_row) {
        y[r] = sum;
    }
    // ANCHOR_END: multiply
}
