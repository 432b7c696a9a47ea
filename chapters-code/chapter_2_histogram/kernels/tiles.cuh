// The last rung's way through its input, which the kernels after it have in common: tiles of 16-byte
// packs, the next tile under way while this one is counted.
#pragma once
#include "histogram.cuh"

constexpr u32 THREADS = 1024;
constexpr u32 LOADS = 2;
constexpr u32 TILE = THREADS * LOADS; // in packs

// An array seen as packs: `head` keys up to the first 16-byte boundary, `count` whole packs, then
// `tail` keys. Less than a pack each, head and tail are for single threads.
template <typename T> struct Packs {
    const uint4* packs;
    size_t count;
    u32 head, tail;
    const T* tail_start;

    __device__ Packs(const T* in, size_t n) {
        constexpr u32 size = 16 / sizeof(T);
        head = u32(-reinterpret_cast<size_t>(in) % 16) / sizeof(T);
        head = head < n ? head : u32(n);
        packs = reinterpret_cast<const uint4*>(in + head);
        count = (n - head) / size;
        tail = u32((n - head) % size);
        tail_start = in + (n - tail);
    }
};

// What a thread holds of a tile.
struct Tile {
    uint4 packs[LOADS];
};

// ANCHOR: load_tile
// Loads a thread's packs of the tile at `start`; nothing past the end. In a tile that is not full
// the last pack is loaded again: a branch here could keep the loads from being issued together.
template <typename T> __device__ Tile load_tile(const Packs<T>& data, size_t start) {
    Tile tile = {};
    if (start < data.count) {
        u32 last = u32(min(data.count - start, size_t(TILE))) - 1;
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) {
            tile.packs[k] = __ldcs(data.packs + start + min(k * THREADS + threadIdx.x, last));
        }
    }
    return tile;
}
// ANCHOR_END: load_tile

// ANCHOR: count_pack
// Counts the keys of a pack. `Where` says where a counter stands, and adds one to it.
template <typename T, typename Where>
__device__ void count_pack(uint4 pack, const Bins& bins, const Where& where) {
    T keys[16 / sizeof(T)];
    memcpy(keys, &pack, sizeof keys);
#pragma unroll
    for (u32 k = 0; k < 16 / sizeof(T); k++) {
        where.add(counter_of(keys[k], bins));
    }
}
// ANCHOR_END: count_pack

// ANCHOR: count_tiles
// Counts every stripes-th tile from `start` on, whose first one has been loaded.
template <typename T, typename Where>
__device__ void count_tiles(const Packs<T>& data, Tile tile, size_t start, size_t stripes,
                            const Bins& bins, const Where& where) {
    for (; start < data.count; start += stripes * TILE) {
        Tile next = load_tile(data, start + stripes * TILE);
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) {
            if (start + k * THREADS + threadIdx.x < data.count) {
                count_pack<T>(tile.packs[k], bins, where);
            }
        }
        tile = next;
    }
}
// ANCHOR_END: count_tiles

// Counts the keys outside the packs; for the threads of one stripe.
template <typename T, typename Where>
__device__ void count_ends(const T* in, const Packs<T>& data, const Bins& bins,
                           const Where& where) {
    if (threadIdx.x < data.head) {
        where.add(counter_of(in[threadIdx.x], bins));
    }
    if (threadIdx.x < data.tail) {
        where.add(counter_of(data.tail_start[threadIdx.x], bins));
    }
}
