// The last rung's way through its input, which the kernels after it have in common: tiles of 16-byte
// packs, the next tile under way while this one is counted.
#pragma once
#include "histogram.cuh"

constexpr u32 TILE = 2048; // in packs

// ANCHOR: shape
// Threads of a block, and blocks that a multiprocessor is to hold. Keys of 8 bits and floats take more
// instructions a byte, and so all the threads that there are; the others do better with fewer threads
// of more registers, which keep more loads under way.
template <typename T> constexpr u32 THREADS = 512;
template <> constexpr u32 THREADS<u8> = 1024;
template <> constexpr u32 THREADS<f32> = 1024;
template <typename T> constexpr u32 RESIDENT = THREADS<T> == 512 ? 3 : 2;
// ANCHOR_END: shape

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

// Loads what no thread needs again, without a place in the L1.
__device__ inline uint4 load_once(const uint4* address) {
    uint4 pack;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(pack.x), "=r"(pack.y), "=r"(pack.z), "=r"(pack.w)
        : "l"(__cvta_generic_to_global(address)));
    return pack;
}

// What a thread holds of a tile that `threads` threads share.
template <u32 threads> struct Tile {
    static constexpr u32 LOADS = TILE / threads;
    uint4 packs[LOADS];
};

// ANCHOR: load_tile
// Loads a thread's packs of the tile at `start`; nothing past the end. In a tile that is not full
// the last pack is loaded again: a branch here could keep the loads from being issued together.
template <u32 threads, typename T>
__device__ Tile<threads> load_tile(const Packs<T>& data, size_t start) {
    Tile<threads> tile = {};
    if (start < data.count) {
        u32 last = u32(min(data.count - start, size_t(TILE))) - 1;
#pragma unroll
        for (u32 k = 0; k < tile.LOADS; k++) {
            tile.packs[k] = load_once(data.packs + start + min(k * threads + threadIdx.x, last));
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
template <typename T, u32 threads, typename Where>
__device__ void count_tiles(const Packs<T>& data, Tile<threads> tile, size_t start,
                            size_t stripes, const Bins& bins, const Where& where) {
    for (; start < data.count; start += stripes * TILE) {
        Tile<threads> next = load_tile<threads>(data, start + stripes * TILE);
#pragma unroll
        for (u32 k = 0; k < tile.LOADS; k++) {
            if (start + k * threads + threadIdx.x < data.count) {
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
