// The tiles of vectorized.cu in another order: down a column of tiles, then down the next. Blocks that run side by
// side now write side by side: the rows of the output are filled from left to right.
//
// transpose_<bytes>(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t ld_out)
// Launch as vectorized.cu.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "packed.cuh"

// ANCHOR: order
// The corner of this block's tile, tiles numbered down the columns of a matrix of `rows` rows.
template <unsigned SIDE> __device__ Corner corner_down(size_t rows) {
    unsigned down = unsigned((rows + SIDE - 1) / SIDE);
    return {size_t(blockIdx.x % down) * SIDE, size_t(blockIdx.x / down) * SIDE};
}
// ANCHOR_END: order

// ANCHOR: transpose
template <typename T> __device__ void transpose(Matrix<const T> in, Matrix<T> out) {
    constexpr unsigned SIDE = Square<T>::SIDE;
    extern __shared__ uint4 tile[][16];
    Corner corner = corner_down<16 * SIDE>(in.rows);
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;

    Square<T> square;
    bool packed = is_packed(in);
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++) {
        square.set_pack(i, load_pack(in, corner.row + y * SIDE + i, corner.col + x * SIDE, packed));
    }
    square = turned(square);
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++) {
        tile[x * SIDE + i][y ^ x] = square.pack(i);
    }
    __syncthreads();

    packed = is_packed(out);
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++) {
        unsigned row = y + i * 16;
        square.set_pack(i, tile[row][x ^ (row / SIDE)]);
    }
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++) {
        unsigned row = y + i * 16;
        store_pack(out, corner.col + row, corner.row + x * SIDE, packed, square.pack(i));
    }
}
// ANCHOR_END: transpose

TRANSPOSE_KERNELS
