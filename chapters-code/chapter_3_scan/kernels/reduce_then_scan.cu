// Reduce, then scan: the first pass only reduces, so that a result is written once, complete.
//
// Scan-then-add reads and writes every element twice. Here the first kernel reads, the second
// reads and writes: three quarters of the traffic.
//
// reduce_<op>_<dtype>(const dtype* in, size_t n, dtype* sums): sums[b] is the aggregate of block b's elements
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n, const dtype* before): before[b] is the
// aggregate of what precedes block b's elements
// Launch: both ceil(n * sizeof(dtype) / 16384) blocks (at least 1) of 256 threads, no dynamic shared
// memory; in and out 16-byte aligned.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "warp_chunk.cuh"

constexpr unsigned THREADS = 256;
constexpr unsigned ROWS = 4;

template <typename T> __device__ size_t first_pack() {
    return size_t(blockIdx.x) * THREADS * ROWS + warp_id() * 32 * ROWS;
}

// ANCHOR: passes
template <typename Op, typename T> __device__ void reduce(const T* in, size_t n, T* sums) {
    __shared__ T aggregates[32];
    WarpChunk<T, ROWS> chunk;
    chunk.template load<Op>({const_cast<T*>(in), n}, first_pack<T>());
    T before[ROWS];
    T aggregate = chunk.template scan<Op>(before);
    Before<T> warps = scan_warps<Op>(aggregates, aggregate);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = warps.block_aggregate;
    }
}

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, const T* before_block) {
    __shared__ T aggregates[32];
    WarpChunk<T, ROWS> chunk;
    chunk.template load<Op>({const_cast<T*>(in), n}, first_pack<T>());
    T before[ROWS];
    T aggregate = chunk.template scan<Op>(before);
    Before<T> warps = scan_warps<Op>(aggregates, aggregate);
    T prefix = Op::combine(before_block[blockIdx.x], warps.warp);
    chunk.template store<KIND, Op>({out, n}, first_pack<T>(), prefix, before);
}
// ANCHOR_END: passes

#define REDUCE(name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS reduce_##name##_##dtype( \
        const dtype* __restrict__ in, size_t n, dtype* __restrict__ sums) { \
        reduce<Op<dtype>>(in, n, sums); \
    }
#define SCAN(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS kind##_##name##_##dtype( \
        const dtype* __restrict__ in, dtype* __restrict__ out, size_t n, \
        const dtype* __restrict__ before) { \
        scan<Kind::KIND, Op<dtype>>(in, out, n, before); \
    }
FOR_EVERY_RUNGS_OPERATORS(REDUCE)
FOR_EVERY_RUNG(SCAN)
// The aggregates of blocks are scanned in the same way, but exclusively.
SCAN(exclusive, Exclusive, sum, Sum, u32)
SCAN(exclusive, Exclusive, sum, Sum, f64)
SCAN(exclusive, Exclusive, max, Max, i32)
REDUCE(sum, Sum, u8)
SCAN(inclusive, Inclusive, sum, Sum, u8)
SCAN(exclusive, Exclusive, sum, Sum, u8)
