// Broken: one bounds check, that of the input, around both halves. The thread that loads element (y, x) of
// a tile stores another, (x, y): at a ragged edge some of those that should store are not there, and some
// that should not are. Those that have left also miss the barrier.
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
        __syncthreads();
        out(corner.col + y, corner.row + x) = tile[x][y];
    }
}
// ANCHOR_END: transpose

TRANSPOSE_KERNELS
