// Values that blocks hand to each other while they run: a value and a tag in one word, so that
// whoever sees the tag has the value, and no fence is needed.
#pragma once
#include "operators.cuh"

// ANCHOR: tagged
// A word of 64 bits: the tag above, 32 bits of the value below. A value of 64 bits takes two words,
// each with the tag; it is there when both tags are.
template <typename T> constexpr unsigned WORDS = (sizeof(T) + 3) / 4;

template <typename T> __device__ void publish(u64* slot, T value, u32 tag) {
    u32 parts[WORDS<T>] = {};
    memcpy(parts, &value, sizeof value);
#pragma unroll
    for (unsigned w = 0; w < WORDS<T>; w++) {
        u64 word = u64(tag) << 32 | parts[w];
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;"
                     :: "l"(__cvta_generic_to_global(slot + w)), "l"(word) : "memory");
    }
}

// The tag of a slot, and its value: where its words have different tags, it is being written.
template <typename T> struct Tagged {
    T value;
    u32 tag;
    bool whole;
};

template <typename T> __device__ Tagged<T> look(const u64* slot) {
    u32 parts[WORDS<T>], tags[WORDS<T>];
#pragma unroll
    for (unsigned w = 0; w < WORDS<T>; w++) {
        u64 word;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                     : "=l"(word) : "l"(__cvta_generic_to_global(slot + w)) : "memory");
        parts[w] = u32(word);
        tags[w] = u32(word >> 32);
    }
    Tagged<T> seen;
    memcpy(&seen.value, parts, sizeof seen.value);
    seen.tag = tags[0];
    seen.whole = tags[0] == tags[WORDS<T> - 1];
    return seen;
}
// ANCHOR_END: tagged

// ANCHOR: epoch
// The number of this launch: the tag by which a slot shows whether its value is of this launch or of one
// before. One thread of each block draws it, once.
//
// Launches on the same tickets have the same number G of blocks, and one ends before the next begins.
// tickets is 0 before the first. Each block draws one ticket, so launch k (from 0) draws those from
// k * G to k * G + G - 1, whatever order its blocks start in: ticket / G is k in all of its blocks,
// and in no block of another launch. The host hands over nothing that changes, so a launch can be
// captured in a graph and replayed.
//
// Tickets begin again at 0 after a multiple of G of them, so that a tag has 31 bits and is never 0. A tag
// comes again after at least two launches, each of which has written every slot.
__device__ inline u32 draw_epoch(u32* tickets) {
    u32 launches = 0x7fffffffu / gridDim.x;
    return atomicInc(tickets, launches * gridDim.x - 1) / gridDim.x + 1;
}
// ANCHOR_END: epoch
