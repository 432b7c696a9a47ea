// Broken: every thread swaps its element with its mirror image, also the thread of the mirror image. Each
// pair is swapped twice, and if both threads read before either writes, an element is lost besides.
//
// in_place_<bytes>(T* matrix, size_t n, size_t ld)
// Launch: ceil(n / 32)^2 blocks of (32, 8) threads, no dynamic shared memory.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "../matrix.cuh"

// ANCHOR: transpose
template <typename T> __device__ void transpose(Matrix<T> matrix) {
    Corner corner = corner_of_block<32, 32>(matrix.cols);
    size_t col = corner.col + threadIdx.x;
    for (unsigned y = threadIdx.y; y < 32; y += 8) {
        size_t row = corner.row + y;
        if (matrix.has(row, col)) {
            T mirrored = matrix(col, row);
            matrix(col, row) = matrix(row, col);
            matrix(row, col) = mirrored;
        }
    }
}
// ANCHOR_END: transpose

IN_PLACE_KERNELS
