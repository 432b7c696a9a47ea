// The tile without padding, its rows permuted instead: column c of row r lies at c XOR r. Every row is
// still 32 elements in 32 positions, and so is every column, whatever the size of an element.
//
// transpose_<bytes>(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t ld_out)
// Launch as by_rows.cu.
#define LAUNCH_BOUNDS __launch_bounds__(1024)
#include "matrix.cuh"

// ANCHOR: transpose
template <typename T> __device__ void transpose(Matrix<const T> in, Matrix<T> out) {
    __shared__ T tile[32][32];
    Corner corner = corner_of_block<32, 32>(in.cols);
    unsigned x = threadIdx.x, y = threadIdx.y;

    if (in.has(corner.row + y, corner.col + x)) {
        tile[y][x ^ y] = in(corner.row + y, corner.col + x);
    }
    __syncthreads();

    if (out.has(corner.col + y, corner.row + x)) {
        out(corner.col + y, corner.row + x) = tile[x][y ^ x];
    }
}
// ANCHOR_END: transpose

TRANSPOSE_KERNELS
