// Broken: no thread asks whether its element exists. Where a side is no multiple of 32, what lies beyond a
// row's end is the beginning of the next row, and what lies beyond the last one belongs to others.
//
// transpose_<bytes>, arguments, launch and results as padded.cu.
#define LAUNCH_BOUNDS __launch_bounds__(1024)
#include "../matrix.cuh"

// ANCHOR: transpose
template <typename T> __device__ void transpose(Matrix<const T> in, Matrix<T> out) {
    __shared__ T tile[32][33];
    Corner corner = corner_of_block<32, 32>(in.cols);
    unsigned x = threadIdx.x, y = threadIdx.y;

    tile[y][x] = in(corner.row + y, corner.col + x);
    __syncthreads();
    out(corner.col + y, corner.row + x) = tile[x][y];
}
// ANCHOR_END: transpose

TRANSPOSE_KERNELS
