// Decoupled look-back (Merrill and Garland 2016): one pass. A block scans its tile, publishes the
// tile's aggregate, and looks back over the tiles before it until it meets one whose whole prefix is known.
//
// Tiles are numbered as blocks come, by an atomic, not by blockIdx: a block then waits only for tiles
// whose blocks are running or done, whatever order the device starts blocks in.
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n, u64* status, unsigned* counter)
// Launch: ceil(n * sizeof(dtype) / 65536) blocks of 512 threads, no dynamic shared memory; in and out
// 16-byte aligned and apart. Before it, in the same stream: WORDS zeroed words of status a block, and
// counter 0. Sums begin at +0: a sum of nothing but -0 is +0.
#define LAUNCH_BOUNDS __launch_bounds__(512, 2)
#include "look_back.cuh"
#include "warp_chunk.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned ROWS = 8;

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
    if (warp_id() == 0) {
        if (lane_id() == 0) {
            publish(status + tile * size_t(WORDS<T>), warps.block_aggregate, tile == 0 ? PREFIX : AGGREGATE);
        }
        T prefix = look_back<Op, T>(status, tile);
        if (lane_id() == 0) {
            T with_tile = Op::combine(prefix, warps.block_aggregate);
            publish(status + tile * size_t(WORDS<T>), with_tile, PREFIX);
            before_tile = prefix;
        }
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
FOR_EVERY_RUNG(KERNEL)
KERNEL(exclusive, Exclusive, sum, Sum, u32) // for chapters that count by it
