// The chained scan: one pass. A block scans its tile, waits for the inclusive prefix of the tile before
// its own, adds its tile's aggregate, and publishes the sum for the next tile.
//
// Tiles are numbered as blocks come, by an atomic, not by blockIdx: a block then waits only for tiles
// whose blocks are running or done, whatever order the device starts blocks in.
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n, u64* status, unsigned* counter)
// Launch: ceil(n * sizeof(dtype) / 65536) blocks of 512 threads, no dynamic shared memory; in and out
// 16-byte aligned and apart. Before it, in the same stream: WORDS zeroed words of status a block, and
// counter 0. Sums begin at +0: a sum of nothing but -0 is +0.
// Each prefix is the one before plus one aggregate, whatever the schedule: sums of floats are the same
// bits in every run.
#define LAUNCH_BOUNDS __launch_bounds__(512, 2)
#include "tagged.cuh"
#include "warp_chunk.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned ROWS = 8;
constexpr u32 READY = 1; // the tag of a prefix; zeroed memory has none

// ANCHOR: wait
// The value of a slot, as soon as it has been published.
template <typename T> __device__ T wait_for(const u64* slot) {
    Tagged<T> seen;
    do {
        seen = look<T>(slot);
    } while (!seen.is_whole() || seen.tag() != READY);
    return seen.value();
}
// ANCHOR_END: wait

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, u64* status, unsigned* counter) {
    __shared__ T aggregates[32];
    __shared__ T before_tile;
    __shared__ unsigned next;
    // ANCHOR: tile
    if (threadIdx.x == 0) {
        next = atomicAdd(counter, 1);
    }
    __syncthreads();
    unsigned tile = next;
    // ANCHOR_END: tile
    size_t first = size_t(tile) * THREADS * ROWS + warp_id() * 32 * ROWS;
    WarpChunk<T, ROWS> chunk;
    chunk.template load<Op>({const_cast<T*>(in), n}, first);
    T before[ROWS];
    T aggregate = chunk.template scan<Op>(before);
    Before<T> warps = scan_warps<Op>(aggregates, aggregate);
    // ANCHOR: publish
    if (threadIdx.x == 0) {
        T prefix = tile == 0 ? Op::identity() : wait_for<T>(status + (tile - 1) * size_t(WORDS<T>));
        publish(status + tile * size_t(WORDS<T>), Op::combine(prefix, warps.block_aggregate), READY);
        before_tile = prefix;
    }
    __syncthreads();
    // ANCHOR_END: publish
    chunk.template store<KIND, Op>({out, n}, first, Op::combine(before_tile, warps.warp), before);
}

#define KERNEL(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS kind##_##name##_##dtype( \
        const dtype* __restrict__ in, dtype* __restrict__ out, size_t n, u64* status, \
        unsigned* counter) { \
        scan<Kind::KIND, Op<dtype>>(in, out, n, status, counter); \
    }
BOTH_KINDS(KERNEL, sum, Sum, i64) BOTH_KINDS(KERNEL, sum, Sum, f32) // PTX is long
