// Several copies of a block's histogram, side by side in the banks of shared memory.
#pragma once
#include "tiles.cuh"

// ANCHOR: copies
// R copies of each counter, R = 2^log <= 32. Copy r of counter c is word c * R + r: the copies of a
// counter are neighbours, and with 32 of them copy r is in bank r, whatever the key.
struct Copies {
    u32 log;
    u32* own; // the lane's copy of counter 0

    __device__ explicit Copies(u32 log) : log(log), own(counters + (threadIdx.x & mask(log))) {}

    static __device__ u32 mask(u32 log) { return (1u << log) - 1; }

    // In bytes, so that a multiplication and an addition, which are one instruction, make the address.
    __device__ void add(u32 c) const {
        char* counter = reinterpret_cast<char*>(own) + c * (4u << log);
        atomicAdd(reinterpret_cast<u32*>(counter), 1);
    }

    __device__ u32 sum(u32 c) const; // over a counter's copies
};
// ANCHOR_END: copies

// ANCHOR: sum
// Neighbouring threads, with neighbouring counters, begin at different copies, so that they read in
// different banks.
__device__ inline u32 Copies::sum(u32 c) const {
    u32 sum = 0;
    for (u32 r = 0; r <= mask(log); r++) {
        u32 copy = (r + (c >> (5 - log))) & mask(log);
        sum += counters[(c << log) + copy];
    }
    return sum;
}
// ANCHOR_END: sum

// ANCHOR: bytes
// Keys of 8 bits that all have a bin, 256 of them or more: no comparison, and one instruction to get
// a key out of its word.
struct AllBytes : Copies {
    __device__ explicit AllBytes(Copies copies) : Copies(copies) {}

    __device__ void add_word(u32 word) const {
        add(__byte_perm(word, 0, 0x4440));
        add(__byte_perm(word, 0, 0x4441));
        add(__byte_perm(word, 0, 0x4442));
        add(__byte_perm(word, 0, 0x4443));
    }
};

template <> __device__ inline void count_pack<u8>(uint4 pack, const Bins&, const AllBytes& where) {
    where.add_word(pack.x);
    where.add_word(pack.y);
    where.add_word(pack.z);
    where.add_word(pack.w);
}
// ANCHOR_END: bytes

// Counters that keys of a type can reach: integers have no NaN and none below the first bin.
template <typename T> __device__ u32 reachable(const Bins& bins) {
    return sizeof(T) == 1 ? min(bins.count + 1, 256u) : bins.count + 1;
}
template <> __device__ inline u32 reachable<f32>(const Bins& bins) { return bins.count + EXTRA; }

// Counts a block's tiles of the input into copies in shared memory, and adds their sums to `sums`.
// `Finish` says how `sums` becomes zero before, and what is done with it after.
template <typename T, typename Finish>
__device__ void count_share(const T* in, u32* sums, size_t n, const Bins& bins, Copies copies,
                            Finish finish) {
    // ANCHOR: items
    Packs<T> data(in, n);
    size_t start = size_t(blockIdx.x) * TILE;
    auto tile = load_tile<THREADS<T>>(data, start); // under way while the counters are zeroed
    u32 total = reachable<T>(bins);
    for (u32 i = threadIdx.x; i < total << copies.log; i += THREADS<T>) {
        counters[i] = 0;
    }
    finish.begin(); // has a barrier

    if (sizeof(T) == 1 && bins.count >= 256) {
        count_tiles(data, tile, start, gridDim.x, bins, AllBytes(copies));
    } else {
        count_tiles(data, tile, start, gridDim.x, bins, copies);
    }
    if (blockIdx.x == 0) {
        count_ends(in, data, bins, copies);
    }
    finish.wait(); // has a barrier

    for (u32 c = threadIdx.x; c < total; c += THREADS<T>) {
        u32 sum = copies.sum(c);
        if (sum > 0) {
            atomicAdd(&sums[c], sum);
        }
    }
    // ANCHOR_END: items
    finish.end();
}
