// More bins than a block's shared memory holds: each block counts a range of them.
//
// banked keeps a whole histogram in shared memory. Here neighbouring blocks read the same tiles, and
// each counts the keys of its own range of counters. They do so at about the same time, so that the
// second reader finds the tile in the L2.
//
// histogram_<dtype>(const dtype* in, u32* out, size_t n, Bins bins, u32 ranges, State* state); `in`
// may have any alignment of its dtype
// Launch: a multiple of `ranges` blocks (at least `ranges`, and no more than the device holds at
// once) of exactly 1024 threads, 4 * ceil((bins.count + 3) / ranges) bytes of dynamic shared memory.
// state: as banked.cu. Writes out[0 .. bins.count + 3].
#include "flag.cuh"
#include "tiles.cuh"

constexpr u32 ALL = 1024; // threads: one block has the multiprocessor to itself

// ANCHOR: range
// A block's counters, from `first` on.
struct Range {
    u32 first, width;

    __device__ void add(u32 c) const {
        if (c - first < width) { // unsigned: a counter before the first is far behind the last
            atomicAdd(&counters[c - first], 1);
        }
    }
};
// ANCHOR_END: range

template <typename T>
__device__ void count(const T* in, u32* out, size_t n, const Bins& bins, u32 ranges, Flag flag) {
    u32 total = bins.count + EXTRA;
    u32 width = (total + ranges - 1) / ranges;
    u32 first = min(blockIdx.x % ranges * width, total); // the last ranges may be empty
    Range range{first, min(width, total - first)};
    u32 stripe = blockIdx.x / ranges;

    Packs<T> data(in, n);
    size_t start = size_t(stripe) * TILE;
    auto tile = load_tile<ALL>(data, start);
    for (u32 c = threadIdx.x; c < range.width; c += ALL) {
        counters[c] = 0;
    }
    flag.begin();
    count_tiles(data, tile, start, gridDim.x / ranges, bins, range);
    if (stripe == 0) {
        count_ends(in, data, bins, range);
    }
    flag.wait();
    for (u32 c = threadIdx.x; c < range.width; c += ALL) {
        if (counters[c] > 0) {
            atomicAdd(&out[range.first + c], counters[c]);
        }
    }
}

#define RANGES_KERNEL(dtype) \
    extern "C" __global__ void __launch_bounds__(ALL, 1) \
        histogram_##dtype(const dtype* __restrict__ in, u32* out, size_t n, Bins bins, u32 ranges, \
                          State* state) { \
        count(in, out, n, bins, ranges, Flag{state, out, bins.count + EXTRA}); \
    }

FOR_EACH_KEY(RANGES_KERNEL)
