// Columns of a matrix, one thread per column.
//
// What is wrong for rows is right here: at every step the lanes of a warp read neighbouring elements
// of one row. But a matrix with few columns keeps few threads busy, however many rows it has.
//
// <op>_f32(const float* in, float* out, size_t rows, size_t cols), in row-major; sum, max, min
// Launch: ceil(cols / block) blocks (at least 1), any block. Writes out[c] for each column c.
#include "operators.cuh"

template <typename Op>
__device__ void reduce(const f32* in, f32* out, size_t rows, size_t cols) {
    size_t col = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (col >= cols) {
        return;
    }
    f32 x = Op::identity();
    for (size_t row = 0; row < rows; row++) {
        x = Op::combine(x, in[row * cols + col]);
    }
    out[col] = x;
}

MATRIX_KERNELS
