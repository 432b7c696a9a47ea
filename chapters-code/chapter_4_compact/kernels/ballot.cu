// A warp asks all its lanes at once: a ballot is 32 flags in a word, the number of bits below a lane's
// own is its rank among the selected, and no flag goes through memory.
//
// A first kernel counts what each block selects; chapter 3 scans the counts; a second kernel does the
// same once more and writes, knowing what comes before its block.
//
// count_<by>_<type>(const type* in, size_t n, i64* counts, const void* mask, u64 pivot): counts[b] is what
// block b selects
// <by>_<type>(const type* in, type* out, size_t n, size_t capacity, u64* selected, const void* mask, u64 pivot,
//             const i64* before): before[b] is what is selected before block b
// Launch: both ceil(n / 2048) blocks of 256 threads, no dynamic shared memory; n > 0.
#include "compact.cuh"

constexpr unsigned ROWS = 8; // of 32 elements, for each warp

// ANCHOR: ballots
// Loads a warp's rows and votes on each: rows[r] is the ballot of row r. All lanes must call it.
template <typename By, typename T>
__device__ unsigned ballots(const T* in, size_t n, By by, T (&x)[ROWS], unsigned (&rows)[ROWS]) {
    size_t first = (size_t(blockIdx.x) * blockDim.x / 32 + warp_id()) * (32 * ROWS) + lane_id();
    unsigned selected = 0;
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++) {
        size_t i = first + 32 * r;
        bool select = false;
        if (i < n) {
            x[r] = in[i];
            select = by.selects(i, x[r]);
        }
        rows[r] = __ballot_sync(ALL_LANES, select);
        selected += __popc(rows[r]);
    }
    return selected;
}
// ANCHOR_END: ballots

// ANCHOR: count
template <typename By, typename T>
__device__ void count(const T* in, size_t n, By by, i64* counts) {
    __shared__ unsigned aggregates[32];
    T x[ROWS];
    unsigned rows[ROWS];
    unsigned selected = ballots(in, n, by, x, rows);
    unsigned block = scan_warps<Sum<unsigned>>(aggregates, selected).block_aggregate;
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = block;
    }
}
// ANCHOR_END: count

// ANCHOR: scatter
template <typename By, typename T>
__device__ void scatter(const T* in, Output<T> out, size_t n, By by, const i64* before) {
    __shared__ unsigned aggregates[32];
    T x[ROWS];
    unsigned rows[ROWS];
    unsigned selected = ballots(in, n, by, x, rows);
    Before<unsigned> warps = scan_warps<Sum<unsigned>>(aggregates, selected);
    size_t index = before[blockIdx.x] + warps.warp;
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++) {
        if (rows[r] >> lane_id() & 1) {
            out.put(index + rank_of_lane(rows[r]), x[r]);
        }
        index += __popc(rows[r]);
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        *out.selected = before[blockIdx.x] + warps.block_aggregate;
    }
}
// ANCHOR_END: scatter

#define KERNELS(by, By, type) \
    extern "C" __global__ void __launch_bounds__(256) count_##by##_##type( \
        const type* __restrict__ in, size_t n, i64* __restrict__ counts, \
        const void* __restrict__ mask, u64 pivot) { \
        count(in, n, CHOICE(By, type), counts); \
    } \
    extern "C" __global__ void __launch_bounds__(256) by##_##type( \
        PARAMETERS(type), const i64* __restrict__ before) { \
        scatter(in, OUTPUT(type), n, CHOICE(By, type), before); \
    }
FOR_EACH_CHOICE(KERNELS)
