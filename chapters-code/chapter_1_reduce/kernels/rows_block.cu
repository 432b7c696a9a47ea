// Rows of a matrix, one block per row.
//
// For long rows: all warps of a block share one, and meet once in shared memory. For rows shorter
// than a few times the block, the meeting costs more than the reading.
//
// <op>_f32(const float* in, float* out, size_t rows, size_t cols), in row-major; sum, max, min
// Launch: `rows` blocks (none for no rows), block a multiple of 32 up to 1024, no dynamic shared
// memory. Writes out[r] for each row r.
#include "block_reduce.cuh"

template <typename Op>
__device__ void reduce(const f32* in, f32* out, size_t rows, size_t cols) {
    size_t row = blockIdx.x;
    f32 x = Op::identity();
    for (size_t col = threadIdx.x; col < cols; col += blockDim.x) {
        x = Op::combine(x, in[row * cols + col]);
    }
    x = block_reduce<Op>(x);
    if (threadIdx.x == 0) {
        out[row] = x;
    }
}

MATRIX_KERNELS
