// Values that devices hand to each other while they run: chapter 3's words of a value and a tag, with the scope of the
// system.
#pragma once
#include "../../chapter_3_scan/kernels/tagged.cuh"
#include "launches.cuh"
#include "pointers.cuh"

// For each device, words in its own memory.
struct Words {
    u64* of[MOST];
};

// (One kernel that is wrong on purpose has another way.)
#ifndef OWN_SEND_AND_RECEIVE
// ANCHOR: words
// The instructions that store and load a word. (The kernels that are wrong on purpose define other ones before.)
#ifndef STORE_WORD
#define STORE_WORD "st.relaxed.sys.global.u64"
#endif
#ifndef LOAD_WORD
#define LOAD_WORD "ld.relaxed.sys.global.u64"
#endif

// Stores a value together with a tag, into the memory of any device.
template <typename T> __device__ void send(u64* slot, T value, u32 tag) {
    Tagged<T> tagged(value, tag);
#pragma unroll
    for (unsigned w = 0; w < WORDS<T>; w++) {
        asm volatile(STORE_WORD " [%0], %1;" ::"l"(slot + w), "l"(tagged.words[w]) : "memory");
    }
}

// The words of a slot as they are.
template <typename T> __device__ Tagged<T> look_at(const u64* slot) {
    Tagged<T> seen;
#pragma unroll
    for (unsigned w = 0; w < WORDS<T>; w++) {
        asm volatile(LOAD_WORD " %0, [%1];" : "=l"(seen.words[w]) : "l"(slot + w) : "memory");
    }
    return seen;
}

// The tag of a slot to which no thread stores at the same time.
template <typename T> __device__ u32 tag_of(const u64* slot) { return u32(*slot >> 32); }

// Waits for the value that has this tag.
template <typename T> __device__ T receive(const u64* slot, u32 tag) {
    Tagged<T> seen;
    do {
        seen = look_at<T>(slot);
    } while (!seen.is_whole() || seen.tag() != tag);
    return seen.value();
}
// ANCHOR_END: words
#endif
