// Rows of a matrix, one thread per row.
//
// No communication at all, but the lanes of a warp read elements a whole row apart: each in a sector
// of its own, 32 bytes fetched for 4. Right only for very short rows.
//
// <op>_f32(const float* in, float* out, size_t rows, size_t cols), in row-major; sum, max, min
// Launch: ceil(rows / block) blocks (at least 1), any block. Writes out[r] for each row r.
#include "operators.cuh"

template <typename Op>
__device__ void reduce(const f32* in, f32* out, size_t rows, size_t cols) {
    size_t row = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    f32 x = Op::identity();
    for (size_t col = 0; col < cols; col++) {
        x = Op::combine(x, in[row * cols + col]);
    }
    out[row] = x;
}

MATRIX_KERNELS
