// Warps with roles, as in chapter 3's warp_specialized, and counts that run ahead: how many elements of a tile
// are selected is in the mask alone. Two warps, the readers of the mask, read masks many tiles before their data is needed,
// so that every tile's offset in the output is known by the time that the tile has come.
//
// One warp starts copies of the data into a ring of stages in shared memory, except for tiles of which
// nothing is selected; one gathers the counts of all blocks, two read masks, eight write the selected elements: row by row of 32
// elements, as in ballot.cu, so that a warp's stores lie side by side.
//
// ptx: compute_90
//
// <by>_<type>(const type* in, type* out, size_t n, size_t capacity, u64* selected, const void* mask, u64 pivot,
//             u64* status, unsigned* launches, unsigned stages)
// Launch: cooperative, min(tiles, multiprocessors, 160) blocks of 384 threads, with tiles = ceil(n / 8192),
// and tiles > 0; dynamic shared memory stages * 8192 * sizeof(type), stages at most 16; in and mask 16-byte
// aligned, and out apart from both. status, one word per tile, and launches as for chapter 3's all_gather.cu, with what
// is said there of replays, other launches and stopped ones. More than 160 blocks are not launched, because
// a warp looks at five groups of 32: a larger device is not filled. An H200 has 132 multiprocessors.
#define LAUNCH_BOUNDS __launch_bounds__(384, 1)
#include "../../chapter_3_scan/kernels/pipeline.cuh"
#include "../../chapter_3_scan/kernels/tagged.cuh"
#include "selected.cuh"

constexpr unsigned TILE = 8192; // elements
constexpr unsigned SCOUTS = 2;
constexpr unsigned WRITERS = 8;
constexpr unsigned MOST_STAGES = 16;
constexpr unsigned AHEAD = 8;  // tiles that scouts may be ahead of writers; a multiple of SCOUTS
constexpr unsigned GROUPS = 5; // of 32 blocks

// ANCHOR: slot
// What is known of a tile before its data comes.
struct alignas(8) Row {
    u32 flags;  // a bit for each of 32 elements
    u32 before; // selected of the tile before them
};
struct Slot {
    Row rows[TILE / 32];
    u64 before; // selected before the tile
    u32 count;  // selected of it
};
// ANCHOR_END: slot

// What the warps of a block share.
struct Ring {
    Mbarrier full[MOST_STAGES];  // the tile's data has come
    Mbarrier empty[MOST_STAGES]; // all writers have what they need of it
    Mbarrier counted[AHEAD];     // a scout has the slot's count
    Mbarrier known[AHEAD];       // the slot is filled, by a scout and by the gatherer
    Mbarrier free[AHEAD];        // the copy warp and all writers have read it
    Mbarrier launch_known;       // the epoch is known
    u32 epoch;
    Slot slots[AHEAD];
};

// ---- A warp's look at the mask of a whole tile ---------------------------------------------------

template <typename By> struct Look;

// ANCHOR: look
template <typename T> struct Look<Mask<T>> {
    static constexpr unsigned ROWS = TILE / (32 * 16);
    uint4 rows[ROWS];

    __device__ void load(const Mask<T>& by, size_t tile) {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            size_t i = tile * TILE + (r * 32 + lane_id()) * 16;
            rows[r] = *reinterpret_cast<const uint4*>(by.bytes + i);
        }
    }
    // The flags of a row's 16 elements.
    __device__ u32 flags(unsigned r) const {
        return nibble(rows[r].x) | nibble(rows[r].y) << 4 | nibble(rows[r].z) << 8 |
               nibble(rows[r].w) << 12;
    }
    __device__ u32 count() const {
        u32 selected = 0;
#pragma unroll
        for (unsigned r = 0; r < ROWS; r += 2) {
            selected += __popc(flags(r) | flags(r + 1) << 16);
        }
        return selected;
    }
    // Neighbouring lanes have the halves of a word: the even one puts together those of a row, the odd one
    // those of the next.
    __device__ void write(Row* to) const {
        bool is_odd = lane_id() % 2 != 0;
#pragma unroll
        for (unsigned r = 0; r < ROWS; r += 2) {
            u32 first = flags(r), next = flags(r + 1);
            u32 other = __shfl_xor_sync(ALL_LANES, is_odd ? first : next, 1);
            to[(r + is_odd) * 16 + lane_id() / 2].flags =
                is_odd ? other | next << 16 : first | other << 16;
        }
    }
};
// ANCHOR_END: look

template <typename T> struct Look<Bits<T>> {
    static constexpr unsigned ROWS = TILE / (32 * 32);
    u32 rows[ROWS];

    __device__ void load(const Bits<T>& by, size_t tile) {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            rows[r] = by.words[tile * (TILE / 32) + r * 32 + lane_id()];
        }
    }
    __device__ u32 count() const {
        u32 selected = 0;
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            selected += __popc(rows[r]);
        }
        return selected;
    }
    __device__ void write(Row* to) const {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            to[r * 32 + lane_id()].flags = rows[r];
        }
    }
};

template <typename By, typename T> struct Block {
    static constexpr unsigned PACK = 16 / sizeof(T); // elements of 16 bytes

    Ring& ring;
    T* stages; // a tile each
    u32 stage_count;
    const T* in;
    Output<T> out;
    size_t n;
    By by;
    u64* status;
    u32* launches;
    size_t tiles;
    u32 epoch = 0; // in the gatherer only

    __device__ size_t tile(size_t round) const { return round * gridDim.x + blockIdx.x; }
    __device__ bool has(size_t round) const { return tile(round) < tiles; }
    __device__ bool is_whole(size_t tile) const { return (tile + 1) * TILE <= n; }

    // ANCHOR: copy
    // One warp keeps the ring of stages full. A tile of which nothing is selected takes no stage.
    __device__ void copy() {
        PipelineState stage, slot;
        for (size_t round = 0; has(round); round++, slot.advance(1, AHEAD)) {
            ring.counted[slot.stage].wait(slot.parity());
            u32 count = ring.slots[slot.stage].count;
            __syncwarp();
            if (lane_id() == 0) {
                ring.free[slot.stage].arrive();
            }
            if (count == 0) {
                continue;
            }
            if (stage.phase > 0) {
                ring.empty[stage.stage].wait(stage.parity() ^ 1); // since the lap before
            }
            fetch(tile(round) * TILE, stages + stage.stage * TILE, ring.full[stage.stage]);
            stage.advance(1, stage_count);
        }
    }
    // ANCHOR_END: copy

    // Starts to copy the tile that begins at element `first`.
    __device__ void fetch(size_t first, T* stage, Mbarrier& full) const {
        u32 elements = u32(min(n - first, size_t(TILE))), packs = elements / PACK;
        // A bulk copy cannot bring a pack that is not full, at the array's end.
        if (lane_id() < elements % PACK) {
            stage[packs * PACK + lane_id()] = in[first + packs * PACK + lane_id()];
        }
        __syncwarp();
        if (lane_id() == 0) {
            full.arrive_and_expect(packs * 16);
            if (packs > 0) {
                bulk_copy(stage, in + first, packs * 16, full);
            }
        }
    }

    // ANCHOR: scout
    // Each of the scouts takes every other tile. It publishes a count as soon as it has one. To fill the slot, it
    // must wait until the slot's last tile has been read.
    __device__ void scout(unsigned scout) {
        PipelineState state;
        state.advance(scout, AHEAD);
        Look<By> look;
        if (is_whole(tile(scout))) {
            look.load(by, tile(scout));
        }
        for (size_t round = scout; has(round);
             round += SCOUTS, state.advance(SCOUTS, AHEAD)) {
            size_t tile = this->tile(round);
            Slot& slot = ring.slots[state.stage];
            u32 count;
            if (is_whole(tile)) {
                count = __reduce_add_sync(ALL_LANES, look.count());
                tell(tile, count);
                wait_until_free(state);
                look.write(slot.rows);
            } else {
                wait_until_free(state);
                count = ask_one_by_one(tile, slot.rows);
                tell(tile, count);
            }
            if (lane_id() == 0) {
                slot.count = count;
                ring.counted[state.stage].arrive();
            }
            if (is_whole(this->tile(round + SCOUTS))) {
                look.load(by, this->tile(round + SCOUTS));
            }
            __syncwarp();
            find_indices(slot.rows);
            __syncwarp();
            if (lane_id() == 0) {
                ring.known[state.stage].arrive();
            }
        }
    }
    // ANCHOR_END: scout

    __device__ void tell(size_t tile, u32 count) {
        if (lane_id() == 0) {
            ring.launch_known.wait(0);
            publish(status + tile, count, ring.epoch);
        }
    }

    // The first lane has begun to load the count of launches, and waits for the load only here.
    __device__ void tell_epoch(u32 launches_before) {
        epoch = next_epoch(__shfl_sync(ALL_LANES, launches_before, 0));
        if (lane_id() == 0) {
            launches[blockIdx.x] = epoch;
            ring.epoch = epoch;
            ring.launch_known.arrive();
        }
    }

    __device__ void wait_until_free(const PipelineState& state) {
        if (state.phase > 0) {
            ring.free[state.stage].wait(state.parity() ^ 1);
        }
    }

    // The array's last tile, element by element.
    __device__ u32 ask_one_by_one(size_t tile, Row* rows) const {
        u32 count = 0;
        for (unsigned r = 0; r < TILE / 32; r++) {
            size_t i = tile * TILE + r * 32 + lane_id();
            u32 ballot = __ballot_sync(ALL_LANES, i < n && by.selects(i, T()));
            if (lane_id() == 0) {
                rows[r].flags = ballot;
            }
            count += __popc(ballot);
        }
        return count;
    }

    // ANCHOR: indices
    // The exclusive scan of the rows' counts, two rows in one word: 32 rows select at most 1024.
    __device__ void find_indices(Row* rows) const {
        u32 selected = 0;
#pragma unroll
        for (unsigned r = lane_id(); r < TILE / 32; r += 64) {
            u32 two = __popc(rows[r].flags) | __popc(rows[r + 32].flags) << 16;
            u32 scanned = warp_scan<Sum<u32>>(two);
            u32 before = scanned - two, all = __shfl_sync(ALL_LANES, scanned, 31);
            rows[r].before = selected + (before & 0xffff);
            selected += all & 0xffff;
            rows[r + 32].before = selected + (before >> 16);
            selected += all >> 16;
        }
    }
    // ANCHOR_END: indices

    // ANCHOR: all_gather
    // One warp computes how many elements are selected before the block's tile in each round, from the counts of
    // all blocks. It loads the counts of the next round before it needs them.
    __device__ void all_gather(u32 launches_before) {
        tell_epoch(launches_before);
        PipelineState state;
        u64 before_round = 0;
        Tagged<u32> seen[GROUPS], next[GROUPS];
        first_look(0, seen);
        for (size_t round = 0; has(round); round++, state.advance(1, AHEAD)) {
            first_look(round + 1, next);
            while (__any_sync(ALL_LANES, look_again(round, seen))) {
            }
            u32 lower = 0, all = 0;
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) {
                lower += g * 32 + lane_id() < blockIdx.x ? seen[g].value() : 0;
                all += seen[g].value();
                seen[g] = next[g];
            }
            lower = __reduce_add_sync(ALL_LANES, lower);
            all = __reduce_add_sync(ALL_LANES, all);
            wait_until_free(state);
            if (lane_id() == 0) {
                ring.slots[state.stage].before = before_round + lower;
                ring.known[state.stage].arrive();
            }
            before_round += all;
        }
        if (blockIdx.x == 0 && lane_id() == 0) {
            *out.selected = before_round; // no block has more rounds than the first
        }
    }
    // ANCHOR_END: all_gather

    // Where block g * 32 + lane publishes its count of a round; null where it has no tile.
    __device__ const u64* word(size_t round, unsigned g) const {
        unsigned block = g * 32 + lane_id();
        size_t theirs = round * gridDim.x + block;
        return block < gridDim.x && theirs < tiles ? status + theirs : nullptr;
    }

    __device__ void first_look(size_t round, Tagged<u32> (&seen)[GROUPS]) const {
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            const u64* word = this->word(round, g);
            seen[g] = word != nullptr ? look<u32>(word) : Tagged<u32>(0, epoch);
        }
    }

    // Whether a count was missing. It may be there now.
    __device__ bool look_again(size_t round, Tagged<u32> (&seen)[GROUPS]) const {
        bool missing = false;
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            if (seen[g].tag() != epoch) {
                missing = true;
                seen[g] = look<u32>(word(round, g));
            }
        }
        return missing;
    }

    // ANCHOR: write
    // Each of the writers takes its part of every tile.
    __device__ void write(unsigned writer) {
        constexpr unsigned ROWS = TILE / 32 / WRITERS;
        PipelineState stage, slot;
        for (size_t round = 0; has(round); round++, slot.advance(1, AHEAD)) {
            ring.known[slot.stage].wait(slot.parity());
            const Slot& known = ring.slots[slot.stage];
            bool has_data = known.count > 0;
            if (has_data) {
                ring.full[stage.stage].wait(stage.parity());
                const T* from = stages + stage.stage * TILE + writer * ROWS * 32;
                write_rows<ROWS>(from, known.rows + writer * ROWS, known.before);
                fence_before_copies();
            }
            __syncwarp();
            if (lane_id() == 0) {
                ring.free[slot.stage].arrive();
                if (has_data) {
                    ring.empty[stage.stage].arrive();
                }
            }
            if (has_data) {
                stage.advance(1, stage_count);
            }
        }
    }

    template <unsigned ROWS>
    __device__ void write_rows(const T* from, const Row* rows, size_t before) const {
        T* to = out.elements + before;
        size_t room = before < out.capacity ? out.capacity - before : 0;
        u32 most = u32(min(room, size_t(TILE)));
#pragma unroll 8
        for (unsigned r = 0; r < ROWS; r++) {
            Row row = rows[r];
            u32 index = row.before + rank_of_lane(row.flags);
            if ((row.flags >> lane_id() & 1) && index < most) {
                to[index] = from[r * 32 + lane_id()];
            }
        }
    }
    // ANCHOR_END: write
};

template <typename By, typename T>
__device__ void compact(const T* in, Output<T> out, size_t n, By by, u64* status, u32* launches,
                        u32 stages) {
    // As in chapter 3: to an address that is no multiple of 32, bulk copies are slower.
    extern __shared__ __align__(128) uint4 dynamic[];
    __shared__ Ring ring;
    u32 before = threadIdx.x == 32 ? launches[blockIdx.x] : 0; // the gatherer, as early as it can
    if (threadIdx.x == 0) {
        for (u32 s = 0; s < stages; s++) {
            ring.full[s].init(1);
            ring.empty[s].init(WRITERS);
        }
        for (u32 s = 0; s < AHEAD; s++) {
            ring.counted[s].init(1);
            ring.known[s].init(2); // a scout, and the gatherer
            ring.free[s].init(1 + WRITERS);
        }
        ring.launch_known.init(1);
        fence_mbarrier_init();
    }
    __syncthreads();
    // ANCHOR: roles
    Block<By, T> block{ring, reinterpret_cast<T*>(dynamic), stages, in, out, n, by, status, launches,
                       (n + TILE - 1) / TILE};
    unsigned role = warp_id();
    if (role == 0) {
        block.copy();
    } else if (role == 1) {
        block.all_gather(before);
    } else if (role < 2 + SCOUTS) {
        block.scout(role - 2);
    } else {
        block.write(role - 2 - SCOUTS);
    }
    // ANCHOR_END: roles
}

#define KERNEL(by, By, type) \
    extern "C" __global__ void LAUNCH_BOUNDS by##_##type(PARAMETERS(type), u64* status, \
                                                         u32* launches, u32 stages) { \
        compact(in, OUTPUT(type), n, CHOICE(By, type), status, launches, stages); \
    }
FOR_EACH_MASK(KERNEL)
