// Packs of four elements that lie across two aligned packs.
#pragma once

// How many packs out[0 .. 4], out[4 .. 8], … have both packs of `in` that they lie across, where n
// elements of it are copied from the offset on. What remains is 6 elements at most.
__device__ inline size_t whole_packs(size_t n, size_t offset) {
    size_t aligned = (n + offset) / 4, before = offset / 4 + (offset % 4 != 0);
    return aligned > before ? aligned - before : 0;
}

// ANCHOR: shift
// The four elements that begin `by` elements behind the beginning of `low`,
// with `high` behind it.
__device__ inline float4 shifted(float4 low, float4 high, unsigned by) {
    switch (by) {
    case 1:
        return make_float4(low.y, low.z, low.w, high.x);
    case 2:
        return make_float4(low.z, low.w, high.x, high.y);
    case 3:
        return make_float4(low.w, high.x, high.y, high.z);
    default:
        return low;
    }
}
// ANCHOR_END: shift
