// Rows of a matrix: 16 bytes per load, four loads in flight per thread, and as many threads per row as suit it.
//
// A thread that adds one element per load has little in flight and executes an addition, a comparison and a
// branch for 4 bytes. Here it has up to 64 bytes in flight. A short row gets as many lanes as have four loads each;
// few and long rows are split into spans, one block each, and the same kernel reduces the spans' partial results.
//
// <op>_f32(const float* in, float* out, size_t rows, size_t cols), in row-major; sum, max, min
// Launch: grid (ceil(rows / blockDim.y), spans), at least (1, 1); block (threads per row, rows), where the
// threads per row are 4, 8, 16 or 32 and the block has whole warps, or a multiple of 32 up to 1024 and one row;
// no dynamic shared memory. Writes out[r * spans + s] for each row r and span s. `in` may have any alignment of
// its type.
#include "block_reduce.cuh"
#include "pack.cuh"

constexpr unsigned IN_FLIGHT = 4;

// ANCHOR: kernel
template <typename Op>
__device__ void reduce(const f32* in, f32* out, size_t rows, size_t cols) {
    size_t row = size_t(blockIdx.x) * blockDim.y + threadIdx.y;
    size_t first = cols * blockIdx.y / gridDim.y, end = cols * (blockIdx.y + 1) / gridDim.y;
    // Threads without a row stay, with no elements: the shuffles want all lanes.
    Packed<f32> span(in + (row < rows ? row * cols + first : 0), row < rows ? end - first : 0);
    f32 x = Op::identity();
    for (size_t i = threadIdx.x; i < span.pack_count; i += IN_FLIGHT * blockDim.x) {
        Pack<f32> packs[IN_FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < IN_FLIGHT; k++) {
            size_t j = i + k * blockDim.x; // past the end, the last pack once more
            packs[k] = load_pack<f32>(span.packs + (j < span.pack_count ? j : span.pack_count - 1));
        }
#pragma unroll
        for (unsigned k = 0; k < IN_FLIGHT; k++) {
            x = Op::combine(x, i + k * blockDim.x < span.pack_count ? reduce_pack<Op>(packs[k])
                                                                    : Op::identity());
        }
    }
    if (threadIdx.x < span.head) {
        x = Op::combine(x, in[row * cols + first + threadIdx.x]);
    }
    if (threadIdx.x < span.tail) {
        x = Op::combine(x, span.tail_start[threadIdx.x]);
    }
    if (blockDim.x > 32) {
        x = block_reduce<Op>(x);
    } else {
        for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
            x = Op::combine(x, __shfl_down_sync(0xffffffffu, x, offset));
        }
    }
    if (threadIdx.x == 0 && row < rows) {
        out[row * gridDim.y + blockIdx.y] = x;
    }
}
// ANCHOR_END: kernel

MATRIX_KERNELS
