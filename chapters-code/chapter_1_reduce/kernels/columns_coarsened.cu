// Columns of a matrix: a thread takes four columns side by side, with 16 bytes per load and four rows in flight.
//
// In columns_block a load brings 4 bytes, and a thread waits for it before it asks for the next row. Here a block of
// 8 warps takes 128 columns, and a thread has 64 bytes in flight. With several blocks in y the rows are split
// between them, and the same kernel reduces the partial results.
//
// <op>_f32(const float* in, float* out, size_t rows, size_t cols), in row-major, 16-byte aligned; sum, max, min
// Launch: grid (ceil(cols / 128), splits), at least (1, 1), block (32, 8), no dynamic shared memory.
// Writes out[s * cols + c] for each split s and column c.
#include "pack.cuh"

constexpr unsigned WARPS = 8;
constexpr unsigned COLS = 128; // of a block
constexpr unsigned IN_FLIGHT = 4;

// ANCHOR: kernel
template <typename Op>
__device__ void reduce(const f32* in, f32* out, size_t rows, size_t cols) {
    __shared__ f32 partials[WARPS][COLS];
    unsigned lane = threadIdx.x, warp = threadIdx.y;
    size_t first = size_t(blockIdx.x) * COLS;
    size_t step = size_t(gridDim.y) * WARPS;
    bool are_packs = cols % 4 == 0; // otherwise most rows begin beside a multiple of 16 bytes
    f32 x[4] = {Op::identity(), Op::identity(), Op::identity(), Op::identity()};
    for (size_t row = size_t(blockIdx.y) * WARPS + warp; row < rows; row += IN_FLIGHT * step) {
        Pack<f32> packs[IN_FLIGHT];
#pragma unroll
        for (unsigned j = 0; j < IN_FLIGHT; j++) {
            size_t from = (row + j * step < rows ? row + j * step : row) * cols + first;
            if (are_packs && first + 4 * lane < cols) {
                packs[j] = load_pack<f32>(reinterpret_cast<const uint4*>(in + from) + lane);
            } else if (!are_packs) {
#pragma unroll
                for (unsigned k = 0; k < 4; k++) {
                    unsigned col = 32 * k + lane;
                    packs[j].elements[k] = first + col < cols ? in[from + col] : Op::identity();
                }
            } else {
                packs[j] = {Op::identity(), Op::identity(), Op::identity(), Op::identity()};
            }
        }
#pragma unroll
        for (unsigned j = 0; j < IN_FLIGHT; j++) {
#pragma unroll
            for (unsigned k = 0; k < 4; k++) {
                bool is_row = row + j * step < rows;
                x[k] = Op::combine(x[k], is_row ? packs[j].elements[k] : Op::identity());
            }
        }
    }
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        partials[warp][are_packs ? 4 * lane + k : 32 * k + lane] = x[k];
    }
    __syncthreads();
    unsigned col = warp * 32 + lane;
    if (col < COLS && first + col < cols) {
        f32 total = partials[0][col];
        for (unsigned w = 1; w < WARPS; w++) {
            total = Op::combine(total, partials[w][col]);
        }
        out[blockIdx.y * cols + first + col] = total;
    }
}
// ANCHOR_END: kernel

MATRIX_KERNELS
