// Two roles: one warp of a block copies tiles into a ring of two stages in shared memory; sixteen warps take
// them from there and do what all warps of all_gather do.
//
// In all_gather a warp that waits for the other blocks loads nothing. Here the copies go on: the producer waits
// for nothing but an empty stage, and a bulk copy needs neither registers nor a waiting thread.
//
// ptx: compute_90
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n, u64* status, unsigned* launches)
// Launch: cooperative, min(tiles, what the device holds at once, 512) blocks of 544 threads, with
// tiles = ceil(n * sizeof(dtype) / 24576), and tiles > 0; dynamic shared memory 2 * 24576; the rest as for
// all_gather.cu.
#define LAUNCH_BOUNDS __launch_bounds__(544, 2)
#include "pipeline.cuh"
#include "warp_chunk.cuh"
#include "tagged.cuh"

constexpr unsigned CONSUMERS = 16; // warps
constexpr unsigned THREADS = 32 * CONSUMERS;
constexpr unsigned ROWS = 3;
constexpr unsigned PACKS = THREADS * ROWS; // of a tile
constexpr unsigned STAGES = 2;

// What the producer and the consumers of a block share.
struct Ring {
    Mbarrier full[STAGES];  // the tile has come
    Mbarrier empty[STAGES]; // all consumers have it in registers
};

// A barrier for the consumers: the producer never comes to it.
__device__ inline void consumers_meet() {
    asm volatile("bar.sync 1, 512;" ::: "memory"); // THREADS
}

// scan_warps for the consumers.
template <typename Op, typename T> __device__ Before<T> scan_consumers(T* aggregates, T own_aggregate) {
    if (lane_id() == 31) {
        aggregates[warp_id()] = own_aggregate;
    }
    consumers_meet();
    T x = lane_id() < CONSUMERS ? aggregates[lane_id()] : Op::identity();
    T scanned = warp_scan<Op>(x);
    T before = __shfl_up_sync(ALL_LANES, scanned, 1);
    before = __shfl_sync(ALL_LANES, lane_id() > 0 ? before : Op::identity(), warp_id());
    return {before, __shfl_sync(ALL_LANES, scanned, 31)};
}

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
    // What comes before the block's tile of a round. All consumers must call it, round after round:
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
        consumers_meet();
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

    static __device__ size_t first(size_t tile) { return tile * PACKS + warp_id() * 32 * ROWS; }
};

// ANCHOR: producer
// The producer, one warp: keeps the ring full. One lane would be enough, except for the last tile.
template <typename Op, typename T>
__device__ void produce(Ring& ring, uint4* stages, const Packs<T>& in, size_t tiles) {
    PipelineState state;
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, state.advance(1, STAGES)) {
        if (state.phase > 0) {
            ring.empty[state.stage].wait(state.parity() ^ 1); // since the lap before
        }
        uint4* stage = stages + state.stage * PACKS;
        size_t first = tile * PACKS;
        u32 packs = u32(min(in.n / Pack<T>::size - first, size_t(PACKS)));
        // Behind the last whole pack: elements that no bulk copy brings, and identities.
        for (u32 i = packs + lane_id(); i < PACKS; i += 32) {
            Pack<T> pack = in.template load<Op>(first + i);
            memcpy(stage + i, &pack, sizeof pack);
        }
        __syncwarp();
        if (lane_id() == 0) {
            Mbarrier& full = ring.full[state.stage];
            full.arrive_and_expect(packs * 16);
            if (packs > 0) {
                bulk_copy(stage, reinterpret_cast<const uint4*>(in.elements) + first, packs * 16, full);
            }
        }
    }
}
// ANCHOR_END: producer

// The consumers: all_gather's rounds, with tiles from the ring.
template <Kind KIND, typename Op, typename T>
__device__ void consume(Ring& ring, const uint4* stages, const Packs<T>& to, Rounds<Op, T> rounds,
                        u32& epoch, u32* launches) {
    __shared__ T own_aggregates[2][32];
    __shared__ T their_aggregates[2][CONSUMERS];
    __shared__ T before_block[2];
    Tile<Op, T> tiles[2];
    PipelineState state;

    // ANCHOR: take
    // Moves the next tile from its stage to registers, and hands the stage back.
    auto take = [&](WarpChunk<T, ROWS>& chunk) {
        ring.full[state.stage].wait(state.parity());
        const uint4* stage = stages + state.stage * PACKS;
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            chunk.rows[r] = load_pack<T>(stage + (warp_id() * ROWS + r) * 32 + lane_id());
        }
        fence_before_copies();
        __syncwarp();
        if (lane_id() == 0) {
            ring.empty[state.stage].arrive();
        }
        state.advance(1, STAGES);
    };
    // ANCHOR_END: take
    auto prepare = [&](unsigned which, size_t round) {
        Tile<Op, T>& tile = tiles[which];
        take(tile.chunk);
        T aggregate = tile.chunk.template scan<Op>(tile.before);
        Before<T> warps = scan_consumers<Op>(own_aggregates[which], aggregate);
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

    if (threadIdx.x == 0) {
        u32 before = launches[blockIdx.x];
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
            }
        }
    }
}

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, u64* status, u32* launches) {
    constexpr unsigned ELEMENTS = PACKS * Pack<T>::size;
    __shared__ Ring ring;
    __shared__ u32 epoch;
    extern __shared__ __align__(128) uint4 stages[];
    if (threadIdx.x == 0) {
        for (u32 s = 0; s < STAGES; s++) {
            ring.full[s].init(1);
            ring.empty[s].init(CONSUMERS);
        }
        fence_mbarrier_init();
    }
    __syncthreads();
    // ANCHOR: roles
    size_t tiles = (n + ELEMENTS - 1) / ELEMENTS;
    if (warp_id() == CONSUMERS) {
        produce<Op, T>(ring, stages, {const_cast<T*>(in), n}, tiles);
    } else {
        consume<KIND, Op, T>(ring, stages, {out, n}, {status, epoch, tiles}, epoch, launches);
    }
    // ANCHOR_END: roles
}

#define KERNEL(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS kind##_##name##_##dtype( \
        const dtype* __restrict__ in, dtype* __restrict__ out, size_t n, u64* status, u32* launches) { \
        scan<Kind::KIND, Op<dtype>>(in, out, n, status, launches); \
    }
BOTH_KINDS(KERNEL, sum, Sum, i64) BOTH_KINDS(KERNEL, sum, Sum, f32) // PTX is long
