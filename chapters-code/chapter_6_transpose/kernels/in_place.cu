// A square matrix onto itself: a block takes a tile and its mirror image, holds both, and puts each in
// the other's place. No element is overwritten before its block has it.
//
// in_place_<bytes>(T* matrix, size_t n, size_t ld)
// Launch: ceil(n / 32)^2 blocks (in y, a matrix of the batch each) of (32, 8) threads, no dynamic shared
// memory; those below the diagonal have nothing to do.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "matrix.cuh"

// ANCHOR: transpose
template <typename T> __device__ void transpose(Matrix<T> matrix) {
    __shared__ T upper[32][32];
    __shared__ T lower[32][32];
    Corner corner = corner_of_block<32, 32>(matrix.cols);
    if (corner.row > corner.col) {
        return; // the mirror image's block moves both
    }
    unsigned x = threadIdx.x;
#pragma unroll
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (matrix.has(corner.row + y, corner.col + x)) {
            upper[y][x ^ y] = matrix(corner.row + y, corner.col + x);
        }
        if (matrix.has(corner.col + y, corner.row + x)) {
            lower[y][x ^ y] = matrix(corner.col + y, corner.row + x);
        }
    }
    __syncthreads();

#pragma unroll
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        if (matrix.has(corner.col + y, corner.row + x)) {
            matrix(corner.col + y, corner.row + x) = upper[x][y ^ x];
        }
        if (matrix.has(corner.row + y, corner.col + x)) {
            matrix(corner.row + y, corner.col + x) = lower[x][y ^ x];
        }
    }
}
// ANCHOR_END: transpose

IN_PLACE_KERNELS
