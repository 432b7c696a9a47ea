// Rows of a matrix, one warp per row.
//
// The lanes of a warp read neighbouring elements of one row and reduce them by shuffles: whole sectors,
// no barrier, no shared memory. Below some 32 columns lanes idle; for few and long rows there are
// too few warps to fill the device.
//
// <op>_f32(const float* in, float* out, size_t rows, size_t cols), in row-major; sum, max, min
// Launch: ceil(rows / (block / 32)) blocks (at least 1), block a multiple of 32. Writes out[r] for
// each row r.
#include "block_reduce.cuh"

// ANCHOR: kernel
template <typename Op>
__device__ void reduce(const f32* in, f32* out, size_t rows, size_t cols) {
    unsigned lane = threadIdx.x % 32;
    size_t row = size_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) { // the whole warp leaves: its lanes share the row
        return;
    }
    f32 x = Op::identity();
    for (size_t col = lane; col < cols; col += 32) {
        x = Op::combine(x, in[row * cols + col]);
    }
    x = warp_reduce<Op>(x);
    if (lane == 0) {
        out[row] = x;
    }
}
// ANCHOR_END: kernel

MATRIX_KERNELS
