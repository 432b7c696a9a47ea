// 16 bytes per access, on both sides: a thread loads packs one below the other, as many as a pack has
// elements. That square it turns in its registers, so that it is packs again, of the output's rows. They
// wait for each other in shared memory, in a tile whose rows are 16 packs long, for every size of element:
// 64 x 64 elements of 4 bytes, 256 x 256 of one. The XOR permutes the packs of a row.
//
// A pack must be aligned: where the matrix or a leading dimension is no multiple of 16 bytes, its elements
// are loaded and stored one by one, and so are those at an edge that does not end with a pack.
//
// transpose_<bytes>(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t ld_out)
// Launch: ceil(rows / S) * ceil(cols / S) blocks (in y, a matrix of the batch each) of 256 threads, with
// 256 * S bytes of dynamic shared memory. S is 256 over the bytes of an element.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "packed.cuh"

// ANCHOR: transpose
template <typename T> __device__ void transpose(Matrix<const T> in, Matrix<T> out) {
    constexpr unsigned SIDE = Square<T>::SIDE;
    extern __shared__ uint4 tile[][16];
    Corner corner = corner_of_block<16 * SIDE, 16 * SIDE>(in.cols);
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
