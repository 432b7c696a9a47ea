// One thread per element, and the lanes of a warp side by side in a row of the input.
//
// They load 32 neighbours, and store to 32 rows of the output: each store's bytes lie in a sector of
// their own.
//
// transpose_<bytes>(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t ld_out)
// Launch: ceil(rows / 32) * ceil(cols / 32) blocks (in y, a matrix of the batch each) of (32, 32)
// threads, no dynamic shared memory. Writes out[c * ld_out + r] for each element (r, c) of the input.
#define LAUNCH_BOUNDS __launch_bounds__(1024)
#include "matrix.cuh"

// ANCHOR: transpose
template <typename T> __device__ void transpose(Matrix<const T> in, Matrix<T> out) {
    Corner corner = corner_of_block<32, 32>(in.cols);
    size_t row = corner.row + threadIdx.y;
    size_t col = corner.col + threadIdx.x;
    if (in.has(row, col)) {
        out(col, row) = in(row, col);
    }
}
// ANCHOR_END: transpose

TRANSPOSE_KERNELS
