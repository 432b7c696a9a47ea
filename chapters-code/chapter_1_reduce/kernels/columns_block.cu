// Columns of a matrix, a block for 32 of them.
//
// Warp w of a block walks rows w, w + 32, …, its lanes side by side in 32 columns, so reads coalesce
// and 32 times as many threads work as in columns_thread. Then each column's 32 values, one from
// each warp, must meet: they are turned through shared memory, so that a warp holds one column and
// reduces it by shuffles. The 33rd column of the tile is padding, which puts the words of a tile
// column into 32 different banks.
//
// With several blocks in y the rows are split between them: `out` is then a matrix of gridDim.y
// rows of partials, and the same kernel reduces those.
//
// <op>_f32(const float* in, float* out, size_t rows, size_t cols), in row-major; sum, max, min.
// sum_u32, of the same form, sums the histograms of chapter 2's blocks.
// Launch: grid (ceil(cols / 32), splits), at least (1, 1), block (32, 32), no dynamic shared memory.
// Writes out[s * cols + c] for each split s and column c.
#define LAUNCH_BOUNDS __launch_bounds__(1024)
#include "block_reduce.cuh"

template <typename Op, typename T>
__device__ void reduce(const T* in, T* out, size_t rows, size_t cols) {
    __shared__ T tile[32][33];
    unsigned lane = threadIdx.x;
    unsigned warp = threadIdx.y;
    size_t first_col = size_t(blockIdx.x) * 32;

    T x = Op::identity();
    if (first_col + lane < cols) {
        for (size_t row = size_t(blockIdx.y) * 32 + warp; row < rows; row += gridDim.y * 32) {
            x = Op::combine(x, in[row * cols + first_col + lane]);
        }
    }
    // ANCHOR: turn
    tile[warp][lane] = x;
    __syncthreads();

    x = warp_reduce<Op>(tile[lane][warp]);
    // ANCHOR_END: turn
    if (lane == 0 && first_col + warp < cols) {
        out[blockIdx.y * cols + first_col + warp] = x;
    }
}

MATRIX_KERNELS

extern "C" __global__ void LAUNCH_BOUNDS sum_u32(const u32* __restrict__ in, u32* __restrict__ out,
                                                 size_t rows, size_t cols) {
    reduce<Sum<u32>>(in, out, rows, cols);
}
