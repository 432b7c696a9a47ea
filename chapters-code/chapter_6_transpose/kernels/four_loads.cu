// The loads of a thread in a loop of their own: none waits for a store to the tile, so all four are in flight
// together.
//
// transpose_<bytes>(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t ld_out)
// Launch as coarsened.cu.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "matrix.cuh"

// ANCHOR: transpose
template <typename T> __device__ void transpose(Matrix<const T> in, Matrix<T> out) {
    __shared__ T tile[32][32];
    Corner corner = corner_of_block<32, 32>(in.cols);
    unsigned x = threadIdx.x;
    T loaded[4] = {};
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        unsigned y = threadIdx.y + 8 * i;
        if (in.has(corner.row + y, corner.col + x)) {
            loaded[i] = in(corner.row + y, corner.col + x);
        }
    }
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        unsigned y = threadIdx.y + 8 * i;
        tile[y][x ^ y] = loaded[i];
    }
    __syncthreads();

#pragma unroll
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (out.has(corner.col + y, corner.row + x)) {
            out(corner.col + y, corner.row + x) = tile[x][y ^ x];
        }
    }
}
// ANCHOR_END: transpose

TRANSPOSE_KERNELS
