// Broken: look-back whose tiles are numbered by blockIdx. CUDA promises no order in which blocks start;
// here they are counted from the other end, as a device might start them. As soon as the device does not
// hold all blocks at once, those that it holds wait for one that cannot start.
//
// inclusive_sum_f32, launch and results as lookback.cu, with tiles of 8 KiB. On a GPU it never ends.
#define LAUNCH_BOUNDS __launch_bounds__(512, 2)
#include "../look_back.cuh"
#include "../warp_chunk.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned ROWS = 1;

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, u64* status) {
    __shared__ T aggregates[32];
    __shared__ T before_tile;
    // ANCHOR: tile
    unsigned tile = gridDim.x - 1 - blockIdx.x;
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

extern "C" __global__ void LAUNCH_BOUNDS inclusive_sum_f32(
    const f32* __restrict__ in, f32* __restrict__ out, size_t n, u64* status, unsigned*) {
    scan<Kind::Inclusive, Sum<f32>>(in, out, n, status);
}
