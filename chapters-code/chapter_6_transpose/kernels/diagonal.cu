// The same tiles, taken along diagonals: blocks that run side by side read different rows of tiles, and
// write different ones. On GPUs of 2008 they would otherwise all have met in one partition of the memory.
//
// transpose_<bytes>(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t ld_out)
// Launch as coarsened.cu.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "matrix.cuh"

// ANCHOR: order
// Tile t is in row t mod down; from one to the next the column grows too, and wraps.
__device__ Corner corner_on_diagonal(size_t rows, size_t cols) {
    unsigned across = unsigned((cols + 31) / 32);
    unsigned down = unsigned((rows + 31) / 32);
    unsigned row = blockIdx.x % down;
    unsigned col = (blockIdx.x / down + row) % across;
    return {size_t(row) * 32, size_t(col) * 32};
}
// ANCHOR_END: order

template <typename T> __device__ void transpose(Matrix<const T> in, Matrix<T> out) {
    __shared__ T tile[32][32];
    Corner corner = corner_on_diagonal(in.rows, in.cols);
    unsigned x = threadIdx.x;
#pragma unroll
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (in.has(corner.row + y, corner.col + x)) {
            tile[y][x ^ y] = in(corner.row + y, corner.col + x);
        }
    }
    __syncthreads();

#pragma unroll
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (out.has(corner.col + y, corner.row + x)) {
            out(corner.col + y, corner.row + x) = tile[x][y ^ x];
        }
    }
}

TRANSPOSE_KERNELS
