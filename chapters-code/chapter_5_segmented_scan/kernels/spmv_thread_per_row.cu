// Sparse matrix times vector, rows stored one after another (CSR), one thread per row.
//
// multiply_f32(const f32* values, const u32* columns, const u32* offsets, const f32* x, f32* y,
//              u32 rows)
// Launch: ceil(rows / block) blocks, no dynamic shared memory. Row r has the entries values[i] in
// columns[i] for offsets[r] <= i < offsets[r + 1].
#include "reduce.cuh"

extern "C" __global__ void multiply_f32(const f32* __restrict__ values,
                                        const u32* __restrict__ columns,
                                        const u32* __restrict__ offsets,
                                        const f32* __restrict__ x, f32* __restrict__ y, u32 rows) {
    // ANCHOR: multiply
    size_t r = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (r < rows) {
        f32 sum = 0;
        for (u32 i = offsets[r]; i < offsets[r + 1]; i++) {
            sum += values[i] * x[columns[i]];
        }
        y[r] = sum;
    }
    // ANCHOR_END: multiply
}
