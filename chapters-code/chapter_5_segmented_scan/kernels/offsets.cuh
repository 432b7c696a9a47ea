// Where the conversions from head flags write: offsets, and how many segments there are.
#pragma once
#include "flagged.cuh"

// The offsets go to at most `capacity` indices; *count gets how many segments there are, even where
// that is more.
struct OffsetsOut {
    u32* offsets;
    size_t capacity;
    u32* count;

    __device__ void put(size_t s, u32 begin) const {
        if (s < capacity) {
            offsets[s] = begin;
        }
    }

    // The end of the last segment, and the number of segments. For one thread.
    __device__ void finish(u32 segments, size_t n) const {
        put(segments, u32(n));
        *count = segments;
    }
};
