// Warps with roles of their own: one starts copies, four reduce tiles, one gathers the aggregates of all
// blocks, eight scan and write. None waits for another longer than the ring of stages is deep.
//
// In all_gather a block's warps do everything together: while they wait for the other blocks' aggregates they
// neither load nor store. Here tiles wait in shared memory, in a ring of stages that bulk copies fill;
// a tile's aggregate is published as soon as it has come, many stages before its turn to be scanned.
//
// ptx: compute_90
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n, u64* status, unsigned* launches,
//                     unsigned stages)
// Launch: cooperative, min(tiles, multiprocessors, 160) blocks of 448 threads, with tiles =
// ceil(n * sizeof(dtype) / 24576), and tiles > 0; dynamic shared memory stages * 24576, stages 4 or
// 8; the rest as for all_gather.cu.
// More than 160 blocks are not launched, because a warp looks at five groups of 32: a larger device is
// not filled. An H200 has 132 multiprocessors.
#define LAUNCH_BOUNDS __launch_bounds__(448, 1)
#include "pipeline.cuh"
#include "warp_chunk.cuh"
#include "tagged.cuh"

constexpr unsigned REDUCERS = 4;
constexpr unsigned SCANNERS = 8;
constexpr unsigned MOST_STAGES = 8;
constexpr unsigned PACKS = 1536; // of a tile
constexpr unsigned GROUPS = 5;   // of 32 blocks
constexpr unsigned ROWS = PACKS / SCANNERS / 32;

// What the warps of a block share.
template <typename T> struct Ring {
    Mbarrier full[MOST_STAGES];  // the tile has come
    Mbarrier ready[MOST_STAGES]; // it is known what comes before it, and before each of its parts
    Mbarrier empty[MOST_STAGES]; // all scanners have it in registers
    Mbarrier launch_known;       // the epoch is known
    u32 epoch;
    T before_part[MOST_STAGES][SCANNERS];
    T before_tile[MOST_STAGES];
};

template <Kind KIND, typename Op, typename T> struct Block {
    Ring<T>& ring;
    uint4* stages; // a tile each
    u32 stage_count;
    Packs<T> in, out;
    u64* status;
    u32* launches;
    size_t tiles;
    u32 epoch = 0; // in the gatherer only

    __device__ size_t tile(size_t round) const { return round * gridDim.x + blockIdx.x; }
    __device__ bool has(size_t round) const { return tile(round) < tiles; }

    // Whether a tile is whole, so that all of its results fit the output.
    __device__ bool is_whole(size_t tile) const {
        return (tile + 1) * PACKS * Pack<T>::size <= in.n;
    }

    // A lane's packs of a part, from its stage: those of neighboring lanes are neighbors, or, if IN_ORDER,
    // a lane's own are.
    template <bool IN_ORDER = false>
    __device__ WarpChunk<T, ROWS> part(u32 stage, unsigned part) const {
        WarpChunk<T, ROWS> chunk;
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            unsigned i = IN_ORDER ? lane_id() * ROWS + r : r * 32 + lane_id();
            chunk.rows[r] = load_pack<T>(stages + stage * PACKS + part * ROWS * 32 + i);
        }
        return chunk;
    }

    // ANCHOR: copy
    // One warp keeps the ring full. One lane would be enough, except for the last tile.
    __device__ void copy() {
        PipelineState state;
        for (size_t round = 0; has(round); round++, state.advance(1, stage_count)) {
            if (state.phase > 0) {
                ring.empty[state.stage].wait(state.parity() ^ 1); // since the lap before
            }
            size_t first = tile(round) * PACKS;
            u32 packs = u32(min(in.n / Pack<T>::size - first, size_t(PACKS)));
            if (packs < PACKS) {
                complete(state.stage, first, packs);
            }
            if (lane_id() == 0) {
                Mbarrier& full = ring.full[state.stage];
                full.arrive_and_expect(packs * 16);
                if (packs > 0) {
                    bulk_copy(stages + state.stage * PACKS,
                              reinterpret_cast<const uint4*>(in.elements) + first, packs * 16, full);
                }
            }
        }
    }
    // ANCHOR_END: copy

    // Fills the rest of the array's last tile: a pack that is not full, which no bulk copy brings, and
    // identities, so that no thread need test whether a pack is there.
    __device__ void complete(u32 stage, size_t first, u32 packs) {
        for (u32 i = packs + lane_id(); i < PACKS; i += 32) {
            Pack<T> pack = in.template load<Op>(first + i);
            memcpy(stages + stage * PACKS + i, &pack, sizeof pack);
        }
        __syncwarp();
    }

    // The aggregate of a part, in lane 31. If the operator does not commute, the chunk is in order.
    __device__ T aggregate(const WarpChunk<T, ROWS>& chunk) const {
        T aggregate = Op::identity();
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
#pragma unroll
            for (unsigned k = 0; k < Pack<T>::size; k++) {
                aggregate = Op::combine(aggregate, chunk.rows[r].elements[k]);
            }
        }
        return warp_scan<Op>(aggregate);
    }

    // ANCHOR: reduce
    // Each of the reducers takes every fourth tile, alone: it waits for nothing but the copy. The
    // number of stages is a multiple of the reducers', so that each sees its stages in every lap: a
    // parity tells one lap from the next, but not from the next but one.
    __device__ void reduce(unsigned reducer) {
        PipelineState state;
        state.advance(reducer, stage_count);
        for (size_t round = reducer; has(round);
             round += REDUCERS, state.advance(REDUCERS, stage_count)) {
            ring.full[state.stage].wait(state.parity());
            size_t tile = this->tile(round);
            T aggregate = reduce_tile(state.stage);
            fence_before_copies();
            __syncwarp(); // all lanes have read the stage
            if (lane_id() == 31) {
                ring.launch_known.wait(0);
                publish(status + tile * WORDS<T>, aggregate, ring.epoch);
                ring.ready[state.stage].arrive();
            }
        }
    }

    // The aggregate of a tile, in lane 31, which notes what comes before each part.
    __device__ T reduce_tile(u32 stage) {
        T parts[SCANNERS];
#pragma unroll
        for (unsigned p = 0; p < SCANNERS; p++) {
            parts[p] = aggregate(this->part<!COMMUTATIVE<Op>>(stage, p));
        }
        T before = Op::identity();
#pragma unroll
        for (unsigned p = 0; p < SCANNERS; p++) {
            if (lane_id() == 31) {
                ring.before_part[stage][p] = before;
            }
            before = Op::combine(before, parts[p]);
        }
        return before;
    }
    // ANCHOR_END: reduce

    // ANCHOR: all_gather
    // One warp computes what comes before the block's tile in each round. It loads all aggregates of a round
    // at once, and those of the next round before it needs them.
    __device__ void all_gather(u32 launches_before) {
        tell_epoch(launches_before);
        PipelineState state;
        T before_round = Op::identity();
        Tagged<T> seen[GROUPS], next[GROUPS];
        first_look(0, seen);
        for (size_t round = 0; has(round); round++, state.advance(1, stage_count)) {
            first_look(round + 1, next);
            while (__any_sync(ALL_LANES, look_again(round, seen))) {
            }
            T before = advance(before_round, seen);
            if (state.phase > 0) {
                ring.empty[state.stage].wait(state.parity() ^ 1); // its last tile has been read
            }
            if (lane_id() == 0) {
                ring.before_tile[state.stage] = before;
                ring.ready[state.stage].arrive();
            }
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) {
                seen[g] = next[g];
            }
        }
    }
    // ANCHOR_END: all_gather

    // The first lane has begun to load the count of launches, and waits for the load only here.
    __device__ void tell_epoch(u32 launches_before) {
        epoch = next_epoch(__shfl_sync(ALL_LANES, launches_before, 0));
        if (lane_id() == 0) {
            launches[blockIdx.x] = epoch;
            ring.epoch = epoch;
            ring.launch_known.arrive();
        }
    }

    // What comes before the block's tile, given what comes before its round and all aggregates of the round;
    // what comes before the round becomes what comes before the next.
    __device__ T advance(T& before_round, const Tagged<T> (&seen)[GROUPS]) const {
        T before = before_round;
        if constexpr (COMMUTATIVE<Op>) {
            T lower = Op::identity(), all = Op::identity();
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) {
                bool is_lower = g * 32 + lane_id() < blockIdx.x;
                lower = Op::combine(lower, is_lower ? seen[g].value() : Op::identity());
                all = Op::combine(all, seen[g].value());
            }
#pragma unroll
            for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
                lower = Op::combine(lower, T(__shfl_xor_sync(ALL_LANES, lower, lanes)));
                all = Op::combine(all, T(__shfl_xor_sync(ALL_LANES, all, lanes)));
            }
            before = Op::combine(before_round, lower);
            before_round = Op::combine(before_round, all);
        } else {
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) {
                T scanned = warp_scan<Op>(seen[g].value());
                T within = __shfl_sync(ALL_LANES, before_lane<Op>(scanned), blockIdx.x % 32);
                if (g == blockIdx.x / 32) {
                    before = Op::combine(before_round, within);
                }
                before_round = Op::combine(before_round, __shfl_sync(ALL_LANES, scanned, 31));
            }
        }
        return before;
    }

    // Where block g * 32 + lane published its aggregate in a round; null where it has no tile.
    __device__ const u64* slot(size_t round, unsigned g) const {
        unsigned block = g * 32 + lane_id();
        size_t theirs = round * gridDim.x + block;
        bool is_there = block < gridDim.x && theirs < tiles;
        return is_there ? status + theirs * WORDS<T> : nullptr;
    }

    __device__ void first_look(size_t round, Tagged<T> (&seen)[GROUPS]) const {
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            const u64* slot = this->slot(round, g);
            seen[g] = slot != nullptr ? look<T>(slot) : Tagged<T>(Op::identity(), epoch);
        }
    }

    // Whether an aggregate was missing. It may be there now.
    __device__ bool look_again(size_t round, Tagged<T> (&seen)[GROUPS]) const {
        bool missing = false;
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            if (!seen[g].is_whole() || seen[g].tag() != epoch) {
                missing = true;
                seen[g] = look<T>(slot(round, g));
            }
        }
        return missing;
    }

    // ANCHOR: scan
    // Each of the scanners takes its part of every tile.
    __device__ void scan(unsigned scanner) {
        PipelineState state;
        for (size_t round = 0; has(round); round++, state.advance(1, stage_count)) {
            ring.full[state.stage].wait(state.parity());
            ring.ready[state.stage].wait(state.parity());
            size_t tile = this->tile(round);
            WarpChunk<T, ROWS> chunk = part(state.stage, scanner);
            T prefix = Op::combine(ring.before_tile[state.stage],
                                   ring.before_part[state.stage][scanner]);
            fence_before_copies();
            __syncwarp();
            if (lane_id() == 0) {
                ring.empty[state.stage].arrive();
            }
            T before[ROWS];
            chunk.template scan<Op>(before);
            size_t first = tile * PACKS + scanner * ROWS * 32;
            if (is_whole(tile)) {
                chunk.template store<KIND, Op, true>(out, first, prefix, before);
            } else {
                chunk.template store<KIND, Op>(out, first, prefix, before);
            }
        }
    }
    // ANCHOR_END: scan
};

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, u64* status, u32* launches, u32 stages) {
    constexpr unsigned ELEMENTS = PACKS * Pack<T>::size;
    __shared__ Ring<T> ring;
    u32 before = threadIdx.x == 32 ? launches[blockIdx.x] : 0; // the gatherer, as early as it can
    if (threadIdx.x == 0) {
        for (u32 s = 0; s < stages; s++) {
            ring.full[s].init(1);
            ring.ready[s].init(2); // a reducer, and the gatherer
            ring.empty[s].init(SCANNERS);
        }
        ring.launch_known.init(1);
        fence_mbarrier_init();
    }
    __syncthreads();
    // ANCHOR: roles
    // Copies are made in sectors, as loads are: to an address that is a multiple of 16 but not of 32
    // they are slower.
    extern __shared__ __align__(128) uint4 tiles[];
    Block<KIND, Op, T> block{ring,   tiles,
                             stages, {const_cast<T*>(in), n},
                             {out, n}, status, launches, (n + ELEMENTS - 1) / ELEMENTS};
    unsigned role = warp_id();
    if (role == 0) {
        block.copy();
    } else if (role == 1) {
        block.all_gather(before);
    } else if (role < 2 + REDUCERS) {
        block.reduce(role - 2);
    } else {
        block.scan(role - 2 - REDUCERS);
    }
    // ANCHOR_END: roles
}

#define KERNEL(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS kind##_##name##_##dtype( \
        const dtype* __restrict__ in, dtype* __restrict__ out, size_t n, u64* status, u32* launches, \
        u32 stages) { \
        scan<Kind::KIND, Op<dtype>>(in, out, n, status, launches, stages); \
    }
FOR_EVERY_RUNG(KERNEL)
FOR_OTHER_INCLUSIVE(KERNEL)
KERNEL(inclusive, Inclusive, sum, Sum, u8)
