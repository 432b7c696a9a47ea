// Four elements per thread: what a thread computes once serves four elements, and eight blocks of
// 256 threads are resident where two of 1,024 were.
//
// transpose_<bytes>(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t ld_out)
// Launch: ceil(rows / 32) * ceil(cols / 32) blocks (in y, a matrix of the batch each) of (32, 8)
// threads, no dynamic shared memory.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "matrix.cuh"

// ANCHOR: transpose
template <typename T> __device__ void transpose(Matrix<const T> in, Matrix<T> out) {
    __shared__ T tile[32][32];
    Corner corner = corner_of_block<32, 32>(in.cols);
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
// ANCHOR_END: transpose

TRANSPOSE_KERNELS
