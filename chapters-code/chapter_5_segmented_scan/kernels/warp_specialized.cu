// Warps with roles, as in chapter 3: one starts copies, three reduce tiles, one gathers the aggregates of all
// blocks, eight scan and write. Stages hold a tile's elements and its head flags.
//
// A reducer needs no scan: what a part of a tile leaves open are its elements from its last head on, so
// it looks for that head among the flags and reduces what comes after it.
//
// ptx: compute_90
//
// <kind>_<op>_<dtype>(const dtype* in, const u32* bits, dtype* out, size_t n, u64* status,
//                     unsigned* launches, unsigned stages)
// Launch: cooperative, min(tiles, multiprocessors, 160) blocks of 416 threads, with tiles =
// ceil(n * sizeof(dtype) / 24576), and tiles > 0; dynamic shared memory stages * 25344, stages a
// multiple of 3 and at most 9; in, bits and out 16-byte aligned. bits has one for each
// element, in a multiple of 16 bytes, and is 0 from bit n on. status, WORDS words a tile, and launches as for
// chapter 3's all_gather.cu, with what is said there of replays, other launches, stopped ones and -0.
// More than 160 blocks are not launched, because a warp looks at five groups of 32: a larger device is not
// filled. An H200 has 132 multiprocessors.
#define LAUNCH_BOUNDS __launch_bounds__(416, 1)
#include "../../chapter_3_scan/kernels/pipeline.cuh"
#include "../../chapter_3_scan/kernels/tagged.cuh"
#include "reduce.cuh"
#include "segmented_chunk.cuh"

constexpr unsigned REDUCERS = 3;
constexpr unsigned SCANNERS = 8;
constexpr unsigned MOST_STAGES = 9;
constexpr unsigned PACKS = 1536; // of a tile
constexpr unsigned GROUPS = 5;   // of 32 blocks
constexpr unsigned ROWS = PACKS / SCANNERS / 32;
constexpr unsigned STAGE_BYTES = PACKS * 16 + PACKS / 2; // flags of 4-byte elements at the most

// What the warps of a block share.
template <typename T> struct Ring {
    Mbarrier full[MOST_STAGES];  // the tile has come
    Mbarrier ready[MOST_STAGES]; // it is known what is open before it, and before each of its parts
    Mbarrier empty[MOST_STAGES]; // all scanners have it in registers
    Mbarrier launch_known;       // the epoch is known
    u32 epoch;
    T before_part[MOST_STAGES][SCANNERS];
    u32 heads[MOST_STAGES]; // bit p: a segment begins in part p
    T before_tile[MOST_STAGES];
};

template <Kind KIND, typename Op, typename T> struct Block {
    static constexpr unsigned WORDS_OF_PART = ROWS * Pack<T>::size; // of flags
    static_assert(WORDS_OF_PART <= 32, "a lane looks at a word");

    Ring<T>& ring;
    unsigned char* stages;
    u32 stage_count;
    Packs<T> in;
    const u32* bits;
    Packs<T> out;
    u64* status;
    u32* launches;
    size_t tiles;
    u32 epoch = 0; // in the gatherer only

    __device__ size_t tile(size_t round) const { return round * gridDim.x + blockIdx.x; }
    __device__ bool has(size_t round) const { return tile(round) < tiles; }
    __device__ uint4* packs(u32 stage) const {
        return reinterpret_cast<uint4*>(stages + stage * STAGE_BYTES);
    }
    __device__ u32* heads(u32 stage) const {
        return reinterpret_cast<u32*>(packs(stage) + PACKS);
    }

    // Whether a tile is whole, so that all of its results fit the output.
    __device__ bool is_whole(size_t tile) const {
        return (tile + 1) * PACKS * Pack<T>::size <= in.n;
    }

    // ANCHOR: copy
    // One warp keeps the ring full: a copy for a tile's elements, and one for its flags.
    __device__ void copy() {
        constexpr u32 WORDS = PACKS * Pack<T>::size / 32;
        PipelineState state;
        for (size_t round = 0; has(round); round++, state.advance(1, stage_count)) {
            if (state.phase > 0) {
                ring.empty[state.stage].wait(state.parity() ^ 1); // since the lap before
            }
            size_t first = tile(round) * PACKS;
            u32 whole = u32(min(in.n / Pack<T>::size - first, size_t(PACKS)));
            size_t words = (in.n + 127) / 128 * 4 - tile(round) * WORDS;
            u32 flag_words = u32(min(words, size_t(WORDS)));
            if (whole < PACKS) {
                complete(state.stage, first, whole, flag_words, WORDS);
            }
            if (lane_id() == 0) {
                Mbarrier& full = ring.full[state.stage];
                full.arrive_and_expect(whole * 16 + flag_words * 4);
                if (whole > 0) {
                    bulk_copy(packs(state.stage),
                              reinterpret_cast<const uint4*>(in.elements) + first, whole * 16, full);
                }
                bulk_copy(heads(state.stage), bits + tile(round) * WORDS, flag_words * 4, full);
            }
        }
    }
    // ANCHOR_END: copy

    // Fills the rest of the array's last tile, which no bulk copy brings: identities without heads.
    __device__ void complete(u32 stage, size_t first, u32 whole, u32 flag_words, u32 all_words) {
        for (u32 i = whole + lane_id(); i < PACKS; i += 32) {
            Pack<T> pack = in.template load<Op>(first + i);
            memcpy(packs(stage) + i, &pack, sizeof pack);
        }
        for (u32 i = flag_words + lane_id(); i < all_words; i += 32) {
            heads(stage)[i] = 0;
        }
        __syncwarp();
    }

    // ANCHOR: last_head
    // Where in a part its last head is, in elements.
    __device__ Pair<u32> last_head(u32 stage, unsigned part) const {
        u32 word = lane_id() < WORDS_OF_PART
                       ? heads(stage)[part * WORDS_OF_PART + lane_id()] : 0;
        u32 words = __ballot_sync(ALL_LANES, word != 0);
        if (words == 0) {
            return {0, false};
        }
        u32 last = 31 - __clz(words);
        return {last * 32 + 31 - __clz(__shfl_sync(ALL_LANES, word, last)), true};
    }
    // ANCHOR_END: last_head

    // ANCHOR: reduce_from
    // A lane's contribution to the aggregate of a part's elements from `head` on.
    __device__ T reduce_from(u32 stage, unsigned part, u32 head) const {
        const uint4* row = packs(stage) + part * ROWS * 32 + lane_id();
        u32 row_of_head = head / (32 * Pack<T>::size);
        Pack<T> pack = load_pack<T>(row + row_of_head * 32);
        u32 first = (row_of_head * 32 + lane_id()) * Pack<T>::size;
        T aggregate = Op::identity();
#pragma unroll
        for (unsigned k = 0; k < Pack<T>::size; k++) {
            aggregate = Op::combine(aggregate, first + k >= head ? pack.elements[k] : Op::identity());
        }
#pragma unroll
        for (unsigned r = 1; r < ROWS; r++) {
            if (r > row_of_head) {
                aggregate = Op::combine(aggregate, reduce_pack<Op>(load_pack<T>(row + r * 32)));
            }
        }
        return aggregate;
    }
    // ANCHOR_END: reduce_from

    // ANCHOR: reduce
    // Each of the reducers takes every third tile, alone: it waits for nothing but the copy. The
    // number of stages is a multiple of the reducers', so that each sees its stages in every lap.
    __device__ void reduce(unsigned reducer) {
        PipelineState state;
        state.advance(reducer, stage_count);
        for (size_t round = reducer; has(round);
             round += REDUCERS, state.advance(REDUCERS, stage_count)) {
            ring.full[state.stage].wait(state.parity());
            Pair<T> aggregate = reduce_tile(state.stage);
            fence_before_copies();
            __syncwarp(); // all lanes have read the stage
            if (lane_id() == 0) {
                ring.launch_known.wait(0);
                publish(status + tile(round) * WORDS<T>, aggregate.value, ring.epoch << 1 | aggregate.head);
                ring.ready[state.stage].arrive();
            }
        }
    }
    // ANCHOR_END: reduce

    // ANCHOR: reduce_tile
    // The pair of a tile; lane 0 notes what is open before each part.
    __device__ Pair<T> reduce_tile(u32 stage) {
        T aggregates[SCANNERS];
        u32 begun = 0;
#pragma unroll
        for (unsigned p = 0; p < SCANNERS; p++) {
            Pair<u32> head = last_head(stage, p);
            aggregates[p] = reduce_from(stage, p, head.value);
            begun |= u32(head.head) << p;
        }
        Pair<T> before = {Op::identity(), false};
#pragma unroll
        for (unsigned p = 0; p < SCANNERS; p++) {
            T aggregate = warp_reduce<Op>(aggregates[p]);
            if (lane_id() == 0) {
                ring.before_part[stage][p] = before.value;
            }
            before = combine<Op>(before, {aggregate, (begun >> p & 1) != 0});
        }
        if (lane_id() == 0) {
            ring.heads[stage] = begun;
        }
        return before;
    }
    // ANCHOR_END: reduce_tile

    // ANCHOR: all_gather
    // One warp learns what is open before the block's tile in each round. It looks at all pairs of a
    // round at once, and at the next round's before it needs them: a look takes most of a microsecond.
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

    // ANCHOR: tell_epoch
    // The first lane has begun to load the count of launches. Only now does it wait for it.
    __device__ void tell_epoch(u32 launches_before) {
        epoch = next_epoch(__shfl_sync(ALL_LANES, launches_before, 0));
        if (lane_id() == 0) {
            launches[blockIdx.x] = epoch;
            ring.epoch = epoch;
            ring.launch_known.arrive();
        }
    }
    // ANCHOR_END: tell_epoch

    // ANCHOR: advance
    // What is open before the block's tile, given what is open before its round and all pairs of the
    // round; what is open before the round becomes what is open behind it. Only aggregates from the last
    // head on count: the last one below this block, and the last one of all.
    __device__ T advance(T& before_round, const Tagged<T> (&seen)[GROUPS]) const {
        int last_below = -1, last = -1;
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            int first = g * 32, below = int(blockIdx.x) - first;
            u32 heads = __ballot_sync(ALL_LANES, seen[g].tag() & 1);
            u32 heads_below = below >= 32 ? heads : below > 0 ? heads & ((1u << below) - 1) : 0;
            last = heads != 0 ? first + 31 - __clz(heads) : last;
            last_below = heads_below != 0 ? first + 31 - __clz(heads_below) : last_below;
        }
        T below = Op::identity(), all = Op::identity();
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            int block = g * 32 + lane_id();
            bool is_below = block >= last_below && block < int(blockIdx.x);
            below = Op::combine(below, is_below ? seen[g].value() : Op::identity());
            all = Op::combine(all, block >= last ? seen[g].value() : Op::identity());
        }
        below = warp_reduce<Op>(below);
        all = warp_reduce<Op>(all);
        T before = last_below >= 0 ? below : Op::combine(before_round, below);
        before_round = last >= 0 ? all : Op::combine(before_round, all);
        return before;
    }
    // ANCHOR_END: advance

    // Where block g * 32 + lane published its pair in a round; null where it has no tile.
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
            seen[g] = slot != nullptr ? look<T>(slot)
                                      : Tagged<T>(Op::identity(), epoch << 1);
        }
    }

    // Whether a pair was missing. It may be there now.
    __device__ bool look_again(size_t round, Tagged<T> (&seen)[GROUPS]) const {
        bool missing = false;
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            if (!seen[g].is_whole() || seen[g].tag() >> 1 != epoch) {
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
            u32 stage = state.stage;
            ring.full[stage].wait(state.parity());
            SegmentedChunk<T, ROWS> chunk;
#pragma unroll
            for (unsigned r = 0; r < ROWS; r++) {
                unsigned i = (scanner * ROWS + r) * 32 + lane_id();
                chunk.rows[r] = load_pack<T>(packs(stage) + i);
                chunk.heads[r] = bits_of_pack<T>(heads(stage), i);
            }
            ring.ready[stage].wait(state.parity());
            bool has_begun = (ring.heads[stage] & ((1u << scanner) - 1)) != 0;
            Pair<T> before_part = {ring.before_part[stage][scanner], has_begun};
            T open = combine<Op>(Pair<T>{ring.before_tile[stage], false}, before_part).value;
            fence_before_copies();
            __syncwarp();
            if (lane_id() == 0) {
                ring.empty[stage].arrive();
            }
            chunk.template scan<Op>();
            size_t tile = this->tile(round), first = tile * PACKS + scanner * ROWS * 32;
            if (is_whole(tile)) {
                chunk.template store<KIND, Op, true>(out, first, open);
            } else {
                chunk.template store<KIND, Op>(out, first, open);
            }
        }
    }
    // ANCHOR_END: scan
};

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, const u32* bits, T* out, size_t n, u64* status, u32* launches,
                     u32 stages) {
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
    // As in chapter 3: to an address that is no multiple of 32, bulk copies are slower.
    extern __shared__ __align__(128) unsigned char tiles[];
    Block<KIND, Op, T> block{ring,   tiles,
                             stages, {const_cast<T*>(in), n},
                             bits, {out, n}, status, launches, (n + ELEMENTS - 1) / ELEMENTS};
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
        const dtype* __restrict__ in, const u32* __restrict__ bits, dtype* __restrict__ out, \
        size_t n, u64* status, u32* launches, u32 stages) { \
        scan<Kind::KIND, Op<dtype>>(in, bits, out, n, status, launches, stages); \
    }
FOR_EVERY_SUM(KERNEL)
FOR_OTHER_SCANS(KERNEL, inclusive, Inclusive)
