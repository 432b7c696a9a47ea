// Many independent 128-bit loads in flight, and a single pass.
//
// In vectorized a thread waits for each load before it issues the next. By Little's law, bytes in
// flight = bandwidth * latency. Here a block takes a tile at a time, 32 KiB that lie together, and
// each thread issues all its loads of a tile before it uses the first. The last block reduces the
// partials, so the whole reduction is one launch.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n, Acc* partials, unsigned* counter); also
// product, and, or. `in` may have any alignment of its dtype.
// Launch: min(ceil(n * sizeof(dtype) / 32768), what the device holds at once) blocks (at least 1)
// of exactly 512 threads, no dynamic shared memory. partials: one a block; counter: 0 before the
// first launch, and again after every launch. Launches on one counter must not overlap; after one that
// was stopped, the counter must be zeroed. Writes out[0].
#define LAUNCH_BOUNDS __launch_bounds__(512, 4) // the grid is 4 blocks per multiprocessor
#include "last_block.cuh"
#include "pack.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned LOADS = 4;
constexpr unsigned TILE = THREADS * LOADS; // in packs

// ANCHOR: items
// Reduces a thread's elements of a block's tiles: every grid-th tile.
template <typename Op, typename T> __device__ Acc<T> reduce_tiles(const Packed<T>& data) {
    Acc<T> x = Op::identity();
    size_t grid = size_t(gridDim.x) * TILE;
    for (size_t start = size_t(blockIdx.x) * TILE; start < data.pack_count; start += grid) {
        unsigned count = unsigned(min(data.pack_count - start, size_t(TILE)));
        Pack<T> pack[LOADS];
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            // Past the end the last pack is loaded again, and dropped below: a branch here or there
            // could keep the loads from being issued together.
            unsigned i = k * THREADS + threadIdx.x;
            pack[k] = load_pack<T>(data.packs + start + min(i, count - 1));
        }
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            Acc<T> reduced = reduce_pack<Op>(pack[k]);
            x = Op::combine(x, k * THREADS + threadIdx.x < count ? reduced : Op::identity());
        }
    }
    return x;
}
// ANCHOR_END: items

template <typename Op, typename T>
__device__ void reduce(const T* in, Acc<T>* out, size_t n, Acc<T>* partials, unsigned* counter) {
    Packed<T> data(in, n);
    // Head and tail come after the tiles: their loads held back before would take the registers that
    // the tiles' loads need.
    Acc<T> x = reduce_tiles<Op>(data);
    if (blockIdx.x == 0 && threadIdx.x < data.head) {
        x = Op::combine(x, widen(in[threadIdx.x]));
    }
    if (blockIdx.x == 0 && threadIdx.x < data.tail) {
        x = Op::combine(x, widen(data.tail_start[threadIdx.x]));
    }
    x = block_reduce<Op>(x);
    finish_last_block<Op>(x, out, partials, counter);
}

FOR_SUM_MAX_MIN(SINGLE_PASS_KERNEL)
FOR_PRODUCT_AND_OR(SINGLE_PASS_KERNEL)
