// Broken: the tile's rows are permuted when they are filled, and read as if they were not. The right elements
// leave, each from the wrong position.
//
// transpose_<bytes>, arguments, launch and results as padded.cu.
#define LAUNCH_BOUNDS __launch_bounds__(1024)
#include "../matrix.cuh"

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
        out(corner.col + y, corner.row + x) = tile[x][y];
    }
}
// ANCHOR_END: transpose

TRANSPOSE_KERNELS
