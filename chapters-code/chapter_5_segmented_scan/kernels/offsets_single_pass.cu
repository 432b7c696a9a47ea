// From head flags, one bit per element, to offsets, in one pass: a block counts the heads of its tile, publishes the
// count, looks back, and puts heads side by side in shared memory, so that neighboring lanes write neighboring offsets.
//
// to_offsets(const u32* bits, size_t n, u32* offsets, size_t capacity, u32* count, u64* status, u64* tickets)
// Launch: ceil(n / 524288) blocks of 512 threads, no dynamic shared memory; n > 0, n < 2^32; bits has ceil(n / 32)
// words, and is 0 from bit n on. status has a word per block; it and *tickets are 0 before the first launch.
// Further launches on them have the same grid and must not overlap; after one that was stopped, zero both. Results
// are as in offsets_of_flags.cu.
#include "../../chapter_3_scan/kernels/tagged.cuh"
#include "offsets.cuh"
#include "reduce.cuh"

using u16 = unsigned short;

constexpr unsigned WARPS = 16;
constexpr unsigned ROWS = 32;   // words of flags per lane
constexpr unsigned ROOM = 1024; // heads that a warp can put side by side: at least those of a row of 32 words

// ANCHOR: tickets
// A ticket is the number of blocks that started before, in this launch and in all before it: it gives the block's
// tile, and the number of the launch. So nothing has to be zeroed between launches.
struct Ticket {
    u32 tile, epoch;
};

__device__ inline Ticket take_ticket(u64* tickets) {
    u64 ticket = atomicAdd(tickets, 1);
    return {u32(ticket % gridDim.x), next_epoch(u32(ticket / gridDim.x))};
}

// The tag of a status word: the launch, and whether the value is the tile's inclusive prefix or its aggregate.
__device__ inline u32 tag_of(u32 epoch, bool is_prefix) { return epoch << 1 | u32(is_prefix); }
// ANCHOR_END: tickets

// ANCHOR: look_back
// Called by a warp: the number of heads before a tile. Lane l looks at tile last - l.
__device__ inline u32 heads_before(const u64* status, Ticket own) {
    u32 prefix = 0;
    for (long long last = (long long)own.tile - 1; last >= 0; last -= 32) {
        long long tile = last - lane_id();
        Tagged<u32> seen(0, tag_of(own.epoch, true)); // before the first tile lies nothing
        u32 known, prefixes, needed;
        do {
            if (tile >= 0) {
                seen = look<u32>(status + tile);
            }
            known = __ballot_sync(ALL_LANES, seen.tag() >> 1 == own.epoch);
            prefixes = known & __ballot_sync(ALL_LANES, seen.tag() & 1);
            needed = prefixes ^ (prefixes - 1); // up to the nearest prefix; all where there is none
        } while ((known & needed) != needed);
        prefix += warp_reduce<Sum<u32>>(needed >> lane_id() & 1 ? seen.value() : 0);
        if (prefixes != 0) {
            break;
        }
    }
    return prefix;
}
// ANCHOR_END: look_back

// ANCHOR: staged
// The heads that a warp has put side by side, as indices in its share of the flags. A gap in every 32 keeps lanes that
// put heads 32 apart from sharing a bank.
struct Staged {
    u16* indices;
    u32 count;

    __device__ static u32 slot(u32 i) { return i + i / 32; }

    // The heads of a lane's word, from slot `at` on; `first` is the index of its first flag.
    __device__ void put(u32 word, u32 at, u32 first) const {
        for (; word != 0; word &= word - 1, at++) {
            indices[slot(at)] = u16(first + __ffs(word) - 1);
        }
    }

    // Writes all heads, of a warp's share that begins at flag `begin`.
    __device__ void write(const OffsetsOut& out, u32& index, u32 begin) {
        __syncwarp();
        for (u32 i = lane_id(); i < count; i += 32) {
            out.put(index + i, begin + indices[slot(i)]);
        }
        __syncwarp();
        index += count;
        count = 0;
    }
};
// ANCHOR_END: staged

// ANCHOR: warp
// Writes the heads of a warp's words; `index` is the number of heads before them.
__device__ inline void write_heads(const u32 (&words)[ROWS], Staged staged, const OffsetsOut& out,
                                   u32 index, u32 begin) {
#pragma unroll
    for (unsigned r = 0; r < ROWS; r += 2) {
        // Two rows in one scan: a row has at most 1,024 heads.
        u32 heads = __popc(words[r]) | __popc(words[r + 1]) << 16;
        u32 scanned = warp_scan<Sum<u32>>(heads);
        u32 totals = __shfl_sync(ALL_LANES, scanned, 31);
#pragma unroll
        for (unsigned k = 0; k < 2; k++) {
            u32 total = totals >> 16 * k & 0xffff;
            if (staged.count + total > ROOM) {
                staged.write(out, index, begin);
            }
            u32 before = (scanned - heads) >> 16 * k & 0xffff;
            staged.put(words[r + k], staged.count + before, ((r + k) * 32 + lane_id()) * 32);
            staged.count += total;
        }
    }
    staged.write(out, index, begin);
}
// ANCHOR_END: warp

extern "C" __global__ void __launch_bounds__(WARPS * 32, 2)
    to_offsets(const u32* __restrict__ bits, size_t n, u32* __restrict__ offsets, size_t capacity,
               u32* __restrict__ count, u64* status, u64* tickets) {
    __shared__ u16 stages[WARPS][ROOM + ROOM / 32];
    __shared__ u32 of_warps[WARPS];
    __shared__ u32 before_tile;
    __shared__ Ticket ticket;
    OffsetsOut out = {offsets, capacity, count};
    if (threadIdx.x == 0) {
        ticket = take_ticket(tickets);
    }
    __syncthreads();
    // ANCHOR: count
    // Neighboring lanes have neighboring words.
    size_t first = (size_t(ticket.tile) * WARPS + warp_id()) * ROWS * 32;
    u32 words[ROWS], heads = 0;
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++) {
        size_t w = first + r * 32 + lane_id();
        words[r] = w * 32 < n ? bits[w] : 0;
    }
    words[0] |= first + lane_id() == 0; // the first element begins a segment
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++) {
        heads += __popc(words[r]);
    }
    heads = warp_reduce<Sum<u32>>(heads);
    if (lane_id() == 0) {
        of_warps[warp_id()] = heads;
    }
    __syncthreads();
    // ANCHOR_END: count
    u32 of_warp = lane_id() < WARPS ? of_warps[lane_id()] : 0;
    u32 before_warp = warp_reduce<Sum<u32>>(lane_id() < warp_id() ? of_warp : 0);
    // ANCHOR: publish
    if (warp_id() == 0) {
        u32 aggregate = warp_reduce<Sum<u32>>(of_warp);
        u64* own = status + ticket.tile;
        if (lane_id() == 0) {
            publish(own, aggregate, tag_of(ticket.epoch, ticket.tile == 0));
        }
        u32 before = heads_before(status, ticket);
        if (lane_id() == 0) {
            publish(own, before + aggregate, tag_of(ticket.epoch, true));
            before_tile = before;
            if (ticket.tile == gridDim.x - 1) {
                out.finish(before + aggregate, n);
            }
        }
    }
    __syncthreads();
    // ANCHOR_END: publish
    if (heads > 0) {
        write_heads(words, {stages[warp_id()], 0}, out, before_tile + before_warp, u32(first) * 32);
    }
}
