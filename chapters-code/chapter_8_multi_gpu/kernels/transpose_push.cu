// One kernel per device: a block reads a tile of the device's rows, and stores it transposed where it belongs, in the memory
// of another device.
//
// transpose_push(const float* in, Pointers out, int device, size_t rows, size_t cols, size_t row_part, size_t col_part,
//                size_t all_rows)
// Launch: a block of 256 threads per tile of 32 x 32 elements. `in` has the `rows` rows of this device, of `cols` elements
// each; the devices before it have `row_part` rows each. The result of a device has `col_part` rows, the last ones fewer,
// of `all_rows` elements each.
#include "row_of.cuh"

const unsigned TILE = 32;
const unsigned THREADS = 256;

#ifndef BARRIER
#define BARRIER __syncthreads()
#endif

// ANCHOR: transpose
extern "C" __global__ void __launch_bounds__(THREADS)
    transpose_push(const float* in, Pointers out, int device, size_t rows, size_t cols,
                   size_t row_part, size_t col_part, size_t all_rows) {
    __shared__ float tile[TILE][TILE + 1];
    size_t tiles_per_row = (cols + TILE - 1) / TILE;
    // Each device begins with the columns that stay with it, so that not all store to the same device at first.
    size_t own = device * col_part / TILE;
    size_t first_row = blockIdx.x / tiles_per_row * TILE;
    size_t first_col = (blockIdx.x + own) % tiles_per_row * TILE;
    unsigned x = threadIdx.x % TILE;

    for (unsigned y = threadIdx.x / TILE; y < TILE; y += THREADS / TILE) {
        if (first_row + y < rows && first_col + x < cols) {
            tile[y][x] = in[(first_row + y) * cols + first_col + x];
        }
    }
    BARRIER;
    for (unsigned y = threadIdx.x / TILE; y < TILE; y += THREADS / TILE) {
        size_t col = first_col + y; // a row of the result
        if (col < cols && first_row + x < rows) {
            float* row = row_of(out, col, col_part, all_rows);
            row[device * row_part + first_row + x] = tile[x][y];
        }
    }
}
// ANCHOR_END: transpose
