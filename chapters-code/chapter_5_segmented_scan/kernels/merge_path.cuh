// The walk of the merge-path kernels: elements and segment ends are one path, which is cut into equal
// parts, one warp per part, whatever the segments are.
//
// The path passes all elements of a segment, then its end, then the next segment (Merrill and Garland
// 2016). A distance d along it lies behind s ends and d - s elements; s is found by a search, because
// ends[s] + s, the distance of segment s's end, only grows.
//
// Elements and segments are counted in 32 bits, each 2^32 - 65,537 at most: the search goes up to 15
// beyond the last segment, and 2^32 - 1 is an end beyond all and stands for no segment.
#pragma once
#include "reduce.cuh"
#include "segmented_chunk.cuh"

constexpr unsigned WARPS = 8;
constexpr unsigned ROWS = 4;

// ANCHOR: search
// How many of the segments end before a distance along the path. Half a warp searches for one
// distance, the other half may for another: sixteen indices are looked at at once.
__device__ inline u32 ended_before(const u32* ends, u32 segments, size_t distance) {
    u32 low = 0, high = segments; // of the answer
    while (__any_sync(ALL_LANES, low < high)) {
        u32 step = (high - low + 15) / 16;
        u32 s = low + lane_id() % 16 * step;
        bool has_ended = s < high && size_t(ends[s]) + s < distance;
        u32 halves = __ballot_sync(ALL_LANES, has_ended);
        u32 count = __popc(halves >> lane_id() / 16 * 16 & 0xffff);
        high = min(low + count * step, high);
        low = count > 0 ? low + (count - 1) * step + 1 : low;
    }
    return low;
}
// ANCHOR_END: search

// A warp's part of the path: segments that end in it, and elements.
struct Part {
    u32 first, end;         // segments
    size_t begin, stop;     // elements
};

__device__ inline Part part_of_path(const u32* offsets, u32 segments, size_t n) {
    size_t parts = size_t(gridDim.x) * WARPS, part = size_t(blockIdx.x) * WARPS + warp_id();
    size_t length = n + segments, each = (length + parts - 1) / parts;
    size_t distance = min((part + lane_id() / 16) * each, length);
    u32 ended = ended_before(offsets + 1, segments, distance);
    u32 first = __shfl_sync(ALL_LANES, ended, 0), end = __shfl_sync(ALL_LANES, ended, 16);
    return {first, end, min(part * each, length) - first, min((part + 1) * each, length) - end};
}

// What a warp keeps in shared memory: a tile's results, and where in it segments begin.
template <typename T> struct Tile {
    static constexpr unsigned SIZE = ROWS * 32 * Pack<T>::size;
    alignas(16) T results[SIZE];
    u32 heads[SIZE / 32];
};

// `Source` has load<Op>(i, begin, stop): the pack of elements from i on, a multiple of its size, with
// identities where an element is not in [begin, stop).
template <typename Op, typename T, typename Source> struct Walk {
    const Source& source;
    T* out;
    const u32* offsets;
    Tile<T>& tile;
    Part part;
    T open;         // what is open of a lane's elements
    u32 segment;    // the next one to end
    u32 begin;      // where it begins
    u32 end;        // where lane l's segment, segment + l, ends; beyond all where there is none

    __device__ u32 end_of(u32 s) const { return s < part.end ? offsets[s + 1] : 0xffffffffu; }

    // ANCHOR: walk
    // Reduces the part's elements, and writes the aggregate of every segment that ends in it, as far as it
    // lies in it. Returns what is open at the part's end.
    __device__ T walk() {
        open = Op::identity();
        segment = part.first;
        begin = offsets[segment];
        end = end_of(segment + lane_id());
        size_t at = part.begin / Pack<T>::size * Pack<T>::size;
        do {
            SegmentedChunk<T, ROWS> chunk;
#pragma unroll
            for (unsigned r = 0; r < ROWS; r++) {
                size_t i = at + (r * 32 + lane_id()) * Pack<T>::size;
                chunk.rows[r] = source.template load<Op>(i, part.begin, part.stop);
            }
            size_t stop = min(at + Tile<T>::SIZE, part.stop);
            if (__any_sync(ALL_LANES, end <= stop)) {
                scan(chunk, at, stop);
            } else {
                aggregate(chunk);
            }
            at += Tile<T>::SIZE;
        } while (at < part.stop);
        return warp_reduce<Op>(open);
    }
    // ANCHOR_END: walk

    // No segment ends in the tile: no lane need know of another.
    __device__ void aggregate(const SegmentedChunk<T, ROWS>& chunk) {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            open = Op::combine(open, reduce_pack<Op>(chunk.rows[r]));
        }
    }

    // ANCHOR: scan
    // Segments end in the tile, which begins at `at`: scans it, and reads results where they end.
    __device__ void scan(SegmentedChunk<T, ROWS>& chunk, size_t at, size_t stop) {
        mark_heads(at, stop);
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            chunk.heads[r] = bits_of_pack<T>(tile.heads, r * 32 + lane_id());
        }
        T before = warp_reduce<Op>(open);
        Pair<T> pair = combine<Op>(Pair<T>{before, false}, chunk.template scan<Op>());
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            Pack<T> results = chunk.template results<Kind::Inclusive, Op>(r, before);
            memcpy(&tile.results[(r * 32 + lane_id()) * Pack<T>::size], &results, sizeof results);
        }
        __syncwarp();
        u32 last = write_ends(at, stop, before);
        open = lane_id() == 0 && last < stop ? pair.value : Op::identity();
        __syncwarp(); // all have read the tile
    }
    // ANCHOR_END: scan

    // ANCHOR: mark_heads
    // A segment begins where one ends.
    __device__ void mark_heads(size_t at, size_t stop) {
        for (unsigned i = lane_id(); i < Tile<T>::SIZE / 32; i += 32) {
            tile.heads[i] = 0;
        }
        __syncwarp();
        u32 mine = end;
        for (u32 s = segment + 32;; s += 32) {
            if (mine < stop) {
                u32 i = mine - u32(at);
                atomicOr(&tile.heads[i / 32], 1u << i % 32);
            }
            if (__any_sync(ALL_LANES, mine > stop)) {
                break;
            }
            mine = end_of(s + lane_id());
        }
        __syncwarp();
    }
    // ANCHOR_END: mark_heads

    // ANCHOR: write_ends
    // Writes the aggregates of the segments that end in the tile; returns where the last of them ends.
    __device__ u32 write_ends(size_t at, size_t stop, T before) {
        unsigned count;
        do {
            u32 begins = __shfl_up_sync(ALL_LANES, end, 1);
            begins = lane_id() == 0 ? begin : begins;
            if (end <= stop) {
                T aggregate = end > at ? tile.results[end - 1 - u32(at)] : before;
                out[segment + lane_id()] = begins == end ? Op::identity() : aggregate;
            }
            count = __popc(__ballot_sync(ALL_LANES, end <= stop));
            if (count > 0) {
                begin = __shfl_sync(ALL_LANES, end, count - 1);
            }
            segment += count;
            end = end_of(segment + lane_id());
        } while (count == 32);
        return begin;
    }
    // ANCHOR_END: write_ends
};

// ---- What parts leave open for the next ones -------------------------------------------------------

// What a part leaves: what is open at its end, and the first segment that ended in it; NONE where
// none did.
constexpr u32 NONE = 0xffffffffu;
template <typename T> struct CarryOut {
    T* open;
    u32* first;
};

// ANCHOR: hand_on
// Puts what is open before each of up to 32 parts, one lane per part, before `reduce`, that of the first
// segment that ended in it. `before` is what is open before all of them, and afterwards what is open
// behind; returns the first segment that ended in any.
template <typename Op, typename T>
__device__ u32 hand_on(T* out, T open, u32 first, T aggregate, T& before) {
    Heads ended(first != NONE);
    T scanned = segmented_warp_scan<Op>(open, ended);
    T mine = before_lane<Op>(scanned);
    mine = ended.before ? mine : Op::combine(before, mine);
    if (first != NONE) {
        out[first] = Op::combine(mine, aggregate);
    }
    T last = __shfl_sync(ALL_LANES, scanned, 31);
    before = ended.lanes != 0 ? last : Op::combine(before, last);
    u32 lane = ended.lanes != 0 ? __ffs(ended.lanes) - 1 : 0;
    return __shfl_sync(ALL_LANES, first, lane);
}
// ANCHOR_END: hand_on

template <typename Op, typename T> __device__ T aggregate_of(const T* out, u32 segment) {
    return segment != NONE ? __ldcg(out + segment) : Op::identity();
}

// ANCHOR: join_blocks
// Joins all blocks. Its threads fetch together what 256 blocks left, so that the warp that hands it on
// waits for memory once, and not eight times.
template <typename Op, typename T> __device__ void join_blocks(T* out, CarryOut<T> carry_out) {
    constexpr unsigned THREADS = WARPS * 32;
    __shared__ T opens[THREADS];
    __shared__ T aggregates[THREADS];
    __shared__ u32 firsts[THREADS];
    T before = Op::identity();
    for (unsigned base = 0; base < gridDim.x; base += THREADS) {
        unsigned b = base + threadIdx.x;
        u32 first = b < gridDim.x ? __ldcg(carry_out.first + b) : NONE;
        opens[threadIdx.x] = b < gridDim.x ? __ldcg(carry_out.open + b) : Op::identity();
        firsts[threadIdx.x] = first;
        aggregates[threadIdx.x] = aggregate_of<Op>(out, first);
        __syncthreads();
        unsigned fetched = min(THREADS, gridDim.x - base);
        for (unsigned i = threadIdx.x; warp_id() == 0 && i - lane_id() < fetched; i += 32) {
            hand_on<Op>(out, opens[i], firsts[i], aggregates[i], before);
        }
        __syncthreads();
    }
}
// ANCHOR_END: join_blocks

// Joins the parts of the block, and leaves to the other blocks what is open behind it. Called by a warp;
// returns whether the block is the last to do so.
template <typename Op, typename T>
__device__ bool join_parts(T* out, T open, u32 first, CarryOut<T> carry_out, unsigned* counter) {
    T before = Op::identity();
    first = hand_on<Op>(out, open, first, aggregate_of<Op>(out, first), before);
    unsigned arrived = 0;
    if (lane_id() == 0) {
        carry_out.open[blockIdx.x] = before;
        carry_out.first[blockIdx.x] = first;
    }
    // Every lane: it may have written to out. All such fences of the device have one order (fence.sc), which
    // is why lane 0 can count for the others. With fences that only acquire and release it would need one
    // behind the __syncwarp.
    __threadfence();
    __syncwarp();
    if (lane_id() == 0) {
        arrived = atomicAdd(counter, 1);
    }
    __threadfence();
    return __shfl_sync(ALL_LANES, arrived, 0) == gridDim.x - 1;
}

// ANCHOR: merge_path
// The whole kernel: every warp walks its part, the parts of a block are joined, and the last block to
// come so far joins the blocks, as in chapter 1.
template <typename Op, typename T, typename Source>
__device__ void merge_path(const Source& source, T* out, size_t n, const u32* offsets, u32 segments,
                         CarryOut<T> carry_out, unsigned* counter) {
    __shared__ Tile<T> tiles[WARPS];
    __shared__ T opens[32];
    __shared__ u32 firsts[32];
    __shared__ bool is_last;
    Part part = part_of_path(offsets, segments, n);
    Walk<Op, T, Source> walk{source, out, offsets, tiles[warp_id()], part};
    T open = walk.walk();
    if (lane_id() == 0) {
        opens[warp_id()] = open;
        firsts[warp_id()] = part.first < part.end ? part.first : NONE;
    }
    __syncthreads();
    if (warp_id() == 0) {
        bool is_warp = lane_id() < WARPS;
        bool came_last = join_parts<Op>(out, is_warp ? opens[lane_id()] : Op::identity(),
                                        is_warp ? firsts[lane_id()] : NONE, carry_out, counter);
        if (lane_id() == 0) {
            is_last = came_last;
        }
    }
    __syncthreads();
    if (is_last) {
        join_blocks<Op>(out, carry_out);
        if (threadIdx.x == 0) {
            *counter = 0; // for the next launch
        }
    }
}
// ANCHOR_END: merge_path
