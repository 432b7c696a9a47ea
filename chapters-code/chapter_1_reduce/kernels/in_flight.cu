// Many independent 128-bit loads in flight, and a single pass.
//
// In vectorized a thread waits for each load before it issues the next. By Little's law, bytes in
// flight = bandwidth * latency: an H200 wants some 48 KiB a multiprocessor. Here a thread issues
// all its loads of a turn before it uses the first. The last block folds the partials, so the
// whole reduction is one launch.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n, Acc* partials, unsigned* counter); also
// product, and, or. `in` may have any alignment of its dtype.
// Launch: min(ceil(n * sizeof(dtype) / (16 * 256)), 8 * multiprocessors) blocks (at least 1) of 256
// threads, no dynamic shared memory. partials: one a block; counter: 0 before the first launch, and
// again after every launch. Writes out[0].
#include "last_block.cuh"
#include "pack.cuh"

constexpr unsigned LOADS = 4;

// ANCHOR: share
// Folds a thread's share of the packs: every grid-th one from `first` on.
template <typename Op, typename T>
__device__ Acc<T> fold_packs(const Packed<T>& data, size_t first, size_t grid) {
    Acc<T> x = Op::identity();
    for (size_t i = first; i < data.pack_count; i += LOADS * grid) {
        Pack<T> pack[LOADS];
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            // Past the end the last pack is loaded again, and dropped below: a branch here would
            // keep the loads from being issued together.
            pack[k] = load_pack<T>(data.packs + min(i + k * grid, data.pack_count - 1));
        }
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            if (i + k * grid < data.pack_count) {
                x = Op::combine(x, fold_pack<Op>(pack[k]));
            }
        }
    }
    return x;
}
// ANCHOR_END: share

template <typename Op, typename T>
__device__ void reduce(const T* in, Acc<T>* out, size_t n, Acc<T>* partials, unsigned* counter) {
    Packed<T> data(in, n);
    size_t grid = size_t(gridDim.x) * blockDim.x;
    size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    Acc<T> x = fold_packs<Op>(data, first, grid);
    if (first < data.head) {
        x = Op::combine(x, widen(in[first]));
    }
    if (first < data.tail) {
        x = Op::combine(x, widen(data.tail_start[first]));
    }
    x = block_reduce<Op>(x);
    finish_last_block<Op>(x, out, partials, counter);
}

FOR_SUM_MAX_MIN(SINGLE_PASS_KERNEL)
FOR_PRODUCT_AND_OR(SINGLE_PASS_KERNEL)
