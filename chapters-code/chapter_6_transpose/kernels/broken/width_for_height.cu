// Broken: the output is written as if its rows were as long as the input's. For a square they are.
//
// transpose_<bytes>, arguments, launch and results as padded.cu.
#define LAUNCH_BOUNDS __launch_bounds__(1024)
#include "../matrix.cuh"

// ANCHOR: transpose
template <typename T> __device__ void transpose(Matrix<const T> in, Matrix<T> out) {
    __shared__ T tile[32][33];
    Corner corner = corner_of_block<32, 32>(in.cols);
    unsigned x = threadIdx.x, y = threadIdx.y;

    if (in.has(corner.row + y, corner.col + x)) {
        tile[y][x] = in(corner.row + y, corner.col + x);
    }
    __syncthreads();

    // The output has in.rows columns, not in.cols.
    out.ld = in.ld;
    if (out.has(corner.col + y, corner.row + x)) {
        out(corner.col + y, corner.row + x) = tile[x][y];
    }
}
// ANCHOR_END: transpose

TRANSPOSE_KERNELS
