// As transpose_push.cu, with tiles of 64 x 64 elements and 16 bytes per access to the memory of a device.
//
// transpose_packs(const float* in, Pointers out, int device, size_t rows, size_t cols, size_t row_part, size_t col_part,
//                 size_t all_rows)
// Launch: a block of 256 threads per tile of 64 x 64 elements. `cols` and `all_rows` are multiples of 4.
#include "row_of.cuh"

const unsigned TILE = 64;
const unsigned THREADS = 256;
const unsigned PACKS = TILE / 4; // of a row of a tile

// ANCHOR: transpose
extern "C" __global__ void __launch_bounds__(THREADS)
    transpose_packs(const float* in, Pointers out, int device, size_t rows, size_t cols,
                    size_t row_part, size_t col_part, size_t all_rows) {
    __shared__ float tile[TILE][TILE + 1];
    size_t tiles_per_row = (cols + TILE - 1) / TILE;
    size_t own = device * col_part / TILE;
    size_t first_row = blockIdx.x / tiles_per_row * TILE;
    size_t first_col = (blockIdx.x + own) % tiles_per_row * TILE;
    unsigned x = threadIdx.x % PACKS * 4;

#pragma unroll
    for (unsigned y = threadIdx.x / PACKS; y < TILE; y += THREADS / PACKS) {
        if (first_row + y < rows && first_col + x < cols) {
            const float* from = in + (first_row + y) * cols + first_col + x;
            float4 pack = *reinterpret_cast<const float4*>(from);
            tile[y][x] = pack.x;
            tile[y][x + 1] = pack.y;
            tile[y][x + 2] = pack.z;
            tile[y][x + 3] = pack.w;
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned y = threadIdx.x / PACKS; y < TILE; y += THREADS / PACKS) {
        size_t col = first_col + y;
        if (col < cols && first_row + x < rows) {
            float* row = row_of(out, col, col_part, all_rows);
            float* to = row + device * row_part + first_row + x;
            // (By a function, because the compiler splits the plain store of four floats into four stores.)
            __stwb(reinterpret_cast<float4*>(to),
                   make_float4(tile[x][y], tile[x + 1][y], tile[x + 2][y], tile[x + 3][y]));
        }
    }
}
// ANCHOR_END: transpose
