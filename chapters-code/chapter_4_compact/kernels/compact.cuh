// What the kernels of this chapter have in common: which elements are selected, what is moved, and the macros that give each
// template its entry points.
//
// An entry point is called <by>_<type>: mask_b32 selects by a mask and moves 32 bits per element, whatever
// they mean; predicate_f32 has to know what it compares.
#pragma once
#include "../../chapter_3_scan/kernels/warp_scan.cuh"

// Elements that are moved and not looked at, by their size, as PTX calls them.
using b8 = unsigned char;
using b32 = unsigned int;
using b64 = unsigned long long;

// What decides which elements are selected, as the host passes it: a mask, or the bits of a pivot.
struct Choice {
    const void* mask;
    u64 pivot;
};

// ANCHOR: by
// One byte per element. An element is selected if its byte is not 0.
template <typename T> struct Mask {
    const u8* bytes;
    __device__ explicit Mask(const Choice& choice) : bytes((const u8*)choice.mask) {}
    __device__ bool selects(size_t i, T) const { return bytes[i] != 0; }
};

// One bit per element, 32 in a word, the lowest first. An element is selected if its bit is 1.
template <typename T> struct Bits {
    const u32* words;
    __device__ explicit Bits(const Choice& choice) : words((const u32*)choice.mask) {}
    __device__ bool selects(size_t i, T) const { return words[i / 32] >> i % 32 & 1; }
};

// The element itself. It is selected if it is at least the pivot; a NaN never is.
template <typename T> struct Predicate {
    T pivot;
    __device__ explicit Predicate(const Choice& choice) { memcpy(&pivot, &choice.pivot, sizeof pivot); }
    __device__ bool selects(size_t, T x) const { return x >= pivot; }
};
// ANCHOR_END: by

// Where results go: at most `capacity` elements. `selected` gets how many there are, even where that is
// more.
template <typename T> struct Output {
    T* elements;
    size_t capacity;
    u64* selected;

    __device__ void put(size_t i, T x) const {
        if (i < capacity) {
            elements[i] = x;
        }
    }
};

// ANCHOR: rank
// How many of the lanes in a ballot come before the caller's.
__device__ inline unsigned rank_of_lane(unsigned ballot) {
    return __popc(ballot & ((1u << lane_id()) - 1));
}
// ANCHOR_END: rank

// ---- Entry points ------------------------------------------------------------------------------

// Calls M(by, By, type) for all that every rung but the last provides: masks and predicates.
#define FOR_EACH_CHOICE(M) \
    FOR_EACH_MASK(M) \
    M(predicate, Predicate, i64) M(predicate, Predicate, f32)
// The other predicates, which only the first rung provides.
#define FOR_OTHER_PREDICATES(M) \
    M(predicate, Predicate, i32) M(predicate, Predicate, u32) M(predicate, Predicate, f64) \
    M(predicate, Predicate, u8)
#define FOR_EACH_MASK(M) \
    M(mask, Mask, b8) M(mask, Mask, b32) M(mask, Mask, b64) \
    M(bits, Bits, b8) M(bits, Bits, b32) M(bits, Bits, b64)

// The parameters that every kernel which writes results begins with, and what they stand for.
#define PARAMETERS(type) \
    const type *__restrict__ in, type *__restrict__ out, size_t n, size_t capacity, u64 *selected, \
        const void *__restrict__ mask, u64 pivot
#define OUTPUT(type) (Output<type>{out, capacity, selected})
#define CHOICE(By, type) (By<type>(Choice{mask, pivot}))

// The signature of a kernel that has no further ones. The file defines compact<By>(in, out, n, by).
#define WHOLE_KERNEL(by, By, type) \
    extern "C" __global__ void LAUNCH_BOUNDS by##_##type(PARAMETERS(type)) { \
        compact<By<type>>(in, OUTPUT(type), n, CHOICE(By, type)); \
    }
