// Every block publishes to all blocks: as many blocks as the device holds walk over the tiles in rounds, and in
// each round every block reads the aggregates of all, so that no prefix is handed on from tile to tile.
//
// A block keeps two tiles in registers. It publishes the aggregate of the next tile before it waits for the
// round of this one: the others' aggregates are on their way while it still has work. The order of all
// operations is fixed, so sums of floats are the same bits in every run.
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n, u64* status, unsigned* launches)
// Launch: cooperative, min(tiles, what the device holds at once, 512) blocks of 512 threads, with
// tiles = ceil(n * sizeof(dtype) / 32768), and tiles > 0; no dynamic shared memory; in and out 16-byte
// aligned and apart from each other (a scan in place is not defined). WORDS words of status for each
// tile, and a word of launches for each block, all zero before the first launch.
// status and launches belong together, and to one n: launches on them have the same grid and number of
// tiles, and one ends before the next begins, so a graph may replay them (see next_epoch in tagged.cuh).
// After a launch that was stopped, zero both. Sums begin at +0: a sum of nothing but -0 is +0.
#define LAUNCH_BOUNDS __launch_bounds__(512, 2)
#include "warp_chunk.cuh"
#include "tagged.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned ROWS = 4;

// The exchange of aggregates between all blocks in a round.
template <typename Op, typename T> struct Rounds {
    u64* status;
    const u32& epoch; // in shared memory
    size_t tiles;
    T before_round = Op::identity();

    __device__ size_t tile(size_t round) const { return round * gridDim.x + blockIdx.x; }
    __device__ bool has(size_t round) const { return tile(round) < tiles; }
    __device__ u64* slot(size_t tile) const { return status + tile * WORDS<T>; }

    // ANCHOR: all_gather
    // What comes before the block's tile of a round. All threads must call it, round after round:
    // thread i waits for block i's aggregate.
    __device__ T all_gather(size_t round, T (&aggregates)[THREADS / 32], T& before_block) {
        size_t theirs = round * gridDim.x + threadIdx.x;
        u32 epoch = this->epoch;
        T aggregate = Op::identity();
        if (threadIdx.x < gridDim.x && theirs < tiles) {
            Tagged<T> seen;
            do {
                seen = look<T>(slot(theirs));
            } while (!seen.is_whole() || seen.tag() != epoch);
            aggregate = seen.value();
        }
        T scanned = warp_scan<Op>(aggregate);
        T before = before_lane<Op>(scanned);
        if (lane_id() == 31) {
            aggregates[warp_id()] = scanned;
        }
        if (threadIdx.x == blockIdx.x) {
            before_block = before;
        }
        __syncthreads();
        T prefix = before_round;
        unsigned warps = (gridDim.x + 31) / 32;
        for (unsigned w = 0; w < warps; w++) {
            if (w == blockIdx.x / 32) {
                prefix = Op::combine(before_round, before_block);
            }
            before_round = Op::combine(before_round, aggregates[w]);
        }
        return prefix;
    }
    // ANCHOR_END: all_gather
};

// A tile in registers.
template <typename Op, typename T> struct Tile {
    WarpChunk<T, ROWS> chunk;
    T before[ROWS];
    T before_warp;

    static __device__ size_t first(size_t tile) {
        return tile * THREADS * ROWS + warp_id() * 32 * ROWS;
    }
};

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, u64* status, u32* launches) {
    constexpr unsigned ELEMENTS = THREADS * ROWS * Pack<T>::size;
    __shared__ T own_aggregates[2][32];
    __shared__ T their_aggregates[2][THREADS / 32];
    __shared__ T before_block[2];
    __shared__ u32 epoch;
    Packs<T> from{const_cast<T*>(in), n}, to{out, n};
    Rounds<Op, T> rounds{status, epoch, (n + ELEMENTS - 1) / ELEMENTS};
    Tile<Op, T> tiles[2];

    auto load = [&](unsigned which, size_t round) {
        if (rounds.has(round)) {
            tiles[which].chunk.template load<Op>(from, Tile<Op, T>::first(rounds.tile(round)));
        }
    };
    // ANCHOR: prepare
    auto prepare = [&](unsigned which, size_t round) {
        Tile<Op, T>& tile = tiles[which];
        T aggregate = tile.chunk.template scan<Op>(tile.before);
        Before<T> warps = scan_warps<Op>(own_aggregates[which], aggregate);
        tile.before_warp = warps.warp;
        if (threadIdx.x == 0) {
            publish(rounds.slot(rounds.tile(round)), warps.block_aggregate, epoch);
        }
    };
    auto finish = [&](unsigned which, size_t round) {
        Tile<Op, T>& tile = tiles[which];
        T prefix = rounds.all_gather(round, their_aggregates[which], before_block[which]);
        prefix = Op::combine(prefix, tile.before_warp);
        size_t first = Tile<Op, T>::first(rounds.tile(round));
        tile.chunk.template store<KIND, Op>(to, first, prefix, tile.before);
    };
    // ANCHOR_END: prepare

    // ANCHOR: rounds
    u32 before = threadIdx.x == 0 ? launches[blockIdx.x] : 0; // on its way while elements are
    load(0, 0);
    load(1, 1);
    if (threadIdx.x == 0) {
        launches[blockIdx.x] = epoch = next_epoch(before); // the others read it behind a barrier of prepare
    }
    prepare(0, 0);
    for (size_t round = 0; rounds.has(round); round += 2) {
#pragma unroll
        for (unsigned which = 0; which < 2; which++) { // unrolled: registers have no index
            size_t now = round + which;
            if (rounds.has(now)) {
                if (rounds.has(now + 1)) {
                    prepare(1 - which, now + 1);
                }
                finish(which, now);
                load(which, now + 2);
            }
        }
    }
    // ANCHOR_END: rounds
}

#define KERNEL(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS kind##_##name##_##dtype( \
        const dtype* __restrict__ in, dtype* __restrict__ out, size_t n, u64* status, u32* launches) { \
        scan<Kind::KIND, Op<dtype>>(in, out, n, status, launches); \
    }
FOR_EVERY_RUNG(KERNEL)
