// One thread per element, and the lanes of a warp side by side in a row of the output, which is a column
// of the input: now the loads are scattered, and the stores are not.
//
// transpose_<bytes>(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t ld_out)
// Launch as by_rows.cu.
#define LAUNCH_BOUNDS __launch_bounds__(1024)
#include "matrix.cuh"

// ANCHOR: transpose
template <typename T> __device__ void transpose(Matrix<const T> in, Matrix<T> out) {
    Corner corner = corner_of_block<32, 32>(in.cols);
    size_t row = corner.row + threadIdx.x;
    size_t col = corner.col + threadIdx.y;
    if (in.has(row, col)) {
        out(col, row) = in(row, col);
    }
}
// ANCHOR_END: transpose

TRANSPOSE_KERNELS
