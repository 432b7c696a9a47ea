// The look-back of lookback.cu, for it and for the kernel that shows what else it needs.
#pragma once
#include "tagged.cuh"
#include "warp_scan.cuh"

// What a slot's tag says of its value. Zeroed memory says that nothing is there yet.
constexpr u32 AGGREGATE = 1;   // it is the tile's aggregate
constexpr u32 PREFIX = 2; // it is the aggregate of the tile and of all before it; in chapter 5, of what
                          // comes after the tile's last head, if it has one

// ANCHOR: look_back
// Called by one warp: returns the aggregate of all tiles before `tile`. Lane 31 looks at the tile just before
// `tile`, lane 0 at the 32nd before it. All wait until no tile from the nearest PREFIX on is missing.
template <typename Op, typename T> __device__ T look_back(const u64* status, unsigned tile) {
    T prefix = Op::identity();
    for (long long last = (long long)tile - 1;; last -= 32) {
        long long mine = last - 31 + lane_id();
        unsigned known, nearest, needed;
        Tagged<T> seen(Op::identity(), PREFIX); // before the first tile lies nothing
        do {
            if (mine >= 0) {
                seen = look<T>(status + mine * WORDS<T>);
            }
            known = __ballot_sync(ALL_LANES, seen.is_whole() && seen.tag() != 0);
            nearest = __ballot_sync(ALL_LANES, seen.is_whole() && seen.tag() == PREFIX);
            needed = nearest == 0 ? ALL_LANES : ALL_LANES << (31 - __clz(nearest));
        } while ((known & needed) != needed);
        bool counts = needed >> lane_id() & 1;
        T window = warp_scan<Op>(counts ? seen.value() : Op::identity());
        prefix = Op::combine(__shfl_sync(ALL_LANES, window, 31), prefix);
        if (nearest != 0) {
            return prefix;
        }
    }
}
// ANCHOR_END: look_back
