// Rows of a matrix: the numbers of the rows that are selected are compacted, and then the rows are fetched, a
// warp for each. That is what PyTorch does for a[mask]: nonzero, then index_select.
//
// Counting is ballot.cu's, and the counts are scanned by chapter 3.
//
// numbers_<by>(u64* numbers, size_t n, u64* selected, const void* mask, u64 pivot, const i64* before): the
// numbers of the selected rows, in order; launch and before as for ballot.cu
// fetch_<type>(const type* in, type* out, size_t capacity, const u64* numbers, const u64* selected,
//              size_t width): the rows of these numbers, as far as the output goes; a row is `width` units
// Launch: any number of blocks of 256 threads, in two dimensions: rows are spread over x, the units of a
// row over y; in and out aligned to a unit.
#include "compact.cuh"

constexpr unsigned ROWS = 8; // of 32 matrix rows, for each warp

// ANCHOR: numbers
template <typename By> __device__ void numbers(u64* numbers, size_t n, u64* selected, By by, const i64* before) {
    __shared__ unsigned aggregates[32];
    size_t first = (size_t(blockIdx.x) * blockDim.x / 32 + warp_id()) * (32 * ROWS) + lane_id();
    unsigned rows[ROWS], count = 0;
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++) {
        size_t i = first + 32 * r;
        rows[r] = __ballot_sync(ALL_LANES, i < n && by.selects(i, 0));
        count += __popc(rows[r]);
    }
    Before<unsigned> warps = scan_warps<Sum<unsigned>>(aggregates, count);
    size_t index = before[blockIdx.x] + warps.warp;
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++) {
        if (rows[r] >> lane_id() & 1) {
            numbers[index + rank_of_lane(rows[r])] = first + 32 * r;
        }
        index += __popc(rows[r]);
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        *selected = before[blockIdx.x] + warps.block_aggregate;
    }
}
// ANCHOR_END: numbers

// ANCHOR: fetch
template <typename T>
__device__ void fetch(const T* in, T* out, size_t capacity, const u64* numbers, size_t selected, size_t width) {
    size_t rows = min(selected, capacity), warps = size_t(gridDim.x) * blockDim.x / 32;
    for (size_t row = size_t(blockIdx.x) * blockDim.x / 32 + warp_id(); row < rows; row += warps) {
        const T* from = in + numbers[row] * width;
        for (size_t i = blockIdx.y * 32 + lane_id(); i < width; i += 32 * gridDim.y) {
            out[row * width + i] = from[i];
        }
    }
}
// ANCHOR_END: fetch

#define NUMBERS(by, By) \
    extern "C" __global__ void numbers_##by(u64* __restrict__ to, size_t n, u64* selected, \
                                            const void* __restrict__ mask, u64 pivot, \
                                            const i64* __restrict__ before) { \
        numbers(to, n, selected, CHOICE(By, u8), before); \
    }
NUMBERS(mask, Mask)
NUMBERS(bits, Bits)

using b128 = uint4;
#define FETCH(type) \
    extern "C" __global__ void fetch_##type(const type* __restrict__ in, type* __restrict__ out, \
                                            size_t capacity, const u64* __restrict__ numbers, \
                                            const u64* __restrict__ selected, size_t width) { \
        fetch(in, out, capacity, numbers, *selected, width); \
    }
FETCH(b8)
FETCH(b32)
FETCH(b128)
