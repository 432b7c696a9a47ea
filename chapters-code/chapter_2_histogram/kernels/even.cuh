// u32 keys in even bins of a range: the bin of a key is floor((key - first) * m / width).
#pragma once
#include "copies.cuh"

// A key that is not its own bin.
struct even_u32 {
    u32 key;
};

// ANCHOR: even
// The bins of keys in [first, end), of any width from 1 to 2^32 - 1. The host divides, once:
//   shift       the number of leading zeros of the width, so that W = width << shift is 2^31 or more
//   reciprocal  S = ceil(m * 2^64 / W), of two words; up to 2^49, as m is 2^16 or less
struct EvenBins : Bins {
    u32 first, end;
    u32 shift;
    u32 reciprocal_high, reciprocal_low;
};

// The counter of a key, without a division. Let d = key - first < width and D = d << shift < W. As S is
// (m * 2^64 + e) / W with 0 <= e < W < 2^32,
//   D * S / 2^64 = d * m / width + (D / W) * e / 2^64.
// The second term is less than 2^32 / 2^64, and so less than 1 / width. A multiple of 1 / width that is no
// integer lies at least 1 / width below the next one: the sum has the floor of the first term, exactly.
// The low word of D * S is dropped before the rest is added up: that changes no bit above it.
template <> __device__ inline u32 counter_of(even_u32 x, const Bins& bins) {
    const EvenBins& even = static_cast<const EvenBins&>(bins);
    u32 scaled = (x.key - even.first) << even.shift; // D, or anything for a key outside the range
    u64 product = u64(scaled) * even.reciprocal_high + (u64(scaled) * even.reciprocal_low >> 32);
    u32 counter = x.key < even.end ? u32(product >> 32) : bins.count;
    return x.key < even.first ? bins.count + 1 : counter;
}
// ANCHOR_END: even

// No key is a NaN.
template <> __device__ inline u32 reachable<even_u32>(const Bins& bins) { return bins.count + 2; }
