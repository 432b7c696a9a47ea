// Values that blocks hand to each other while they run: a value and a tag in one word, so that
// a thread that sees the tag has the value, and no fence is needed.
#pragma once
#include "operators.cuh"

// ANCHOR: tagged
// A word of 64 bits: the tag above, 32 bits of the value below. A value of 64 bits takes two words,
// each with the tag; it is there when both tags are.
template <typename T> constexpr unsigned WORDS = (sizeof(T) + 3) / 4;

// The words of a slot, as they were read. A thread waits for them only when it asks what they hold: it can look
// long before it needs to know.
template <typename T> struct Tagged {
    u64 words[WORDS<T>];

    __device__ Tagged() = default;
    __device__ Tagged(T value, u32 tag) {
        u32 parts[WORDS<T>] = {};
        memcpy(parts, &value, sizeof value);
#pragma unroll
        for (unsigned w = 0; w < WORDS<T>; w++) {
            words[w] = u64(tag) << 32 | parts[w];
        }
    }

    __device__ u32 tag() const { return u32(words[0] >> 32); }

    // Where the words have different tags, the slot is being written.
    __device__ bool is_whole() const { return tag() == u32(words[WORDS<T> - 1] >> 32); }

    __device__ T value() const {
        u32 parts[WORDS<T>];
#pragma unroll
        for (unsigned w = 0; w < WORDS<T>; w++) {
            parts[w] = u32(words[w]);
        }
        T value;
        memcpy(&value, parts, sizeof value);
        return value;
    }
};

template <typename T> __device__ void publish(u64* slot, T value, u32 tag) {
    Tagged<T> tagged(value, tag);
#pragma unroll
    for (unsigned w = 0; w < WORDS<T>; w++) {
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;"
                     :: "l"(__cvta_generic_to_global(slot + w)), "l"(tagged.words[w]) : "memory");
    }
}

template <typename T> __device__ Tagged<T> look(const u64* slot) {
    Tagged<T> seen;
#pragma unroll
    for (unsigned w = 0; w < WORDS<T>; w++) {
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                     : "=l"(seen.words[w]) : "l"(__cvta_generic_to_global(slot + w)) : "memory");
    }
    return seen;
}
// ANCHOR_END: tagged

// ANCHOR: epoch
// The number of this launch: the tag by which a slot shows whether its value is of this launch or of one
// before.
//
// Each block counts its own launches, in launches[blockIdx.x], which is 0 before the first. One thread of
// the block loads the count as early as it can, and later stores next_epoch of it there. Launches on the
// same counts have the same grid, and one ends before the next begins. So all counts are equal between
// launches, and all blocks of a launch get the same number. The host hands over nothing that changes, so
// a launch can be captured in a graph and replayed.
//
// A tag has 31 bits and is never 0. It comes again after 2^31 - 1 launches, each of which has written every slot.
__device__ inline u32 next_epoch(u32 launches_before) { return launches_before % 0x7fffffffu + 1; }
// ANCHOR_END: epoch
