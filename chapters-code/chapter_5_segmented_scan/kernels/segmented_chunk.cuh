// A warp's chunk of an array in packs of 16 bytes, with head flags as bits: what vectorized.cu
// introduces, for the kernels that come after it.
#pragma once
#include "../../chapter_3_scan/kernels/warp_chunk.cuh"
#include "flagged.cuh"

// ANCHOR: bits
// The head flags of pack i, one bit per element, from words of 32 flags each.
template <typename T> __device__ u32 bits_of_pack(const u32* bits, size_t i) {
    constexpr unsigned BITS = Pack<T>::size;
    size_t first = i * BITS;
    return bits[first / 32] >> (first % 32) & ((1u << BITS) - 1);
}
// ANCHOR_END: bits

// ROWS packs a lane. Row by row, neighbouring lanes have neighbouring packs.
template <typename T, unsigned ROWS> struct SegmentedChunk {
    Pack<T> rows[ROWS];
    u32 heads[ROWS];
    // What is open before each pack in the warp's chunk, and, one bit per row, whether a segment has begun
    // in the chunk before the pack, so that nothing from before the chunk is.
    T before[ROWS];
    u32 begun;

    // Loads this lane's packs. `first` is the index, in packs, of the first pack of the warp's chunk; row r of
    // lane l is pack first + 32 * r + l.
    template <typename Op>
    __device__ void load(const Packs<T>& from, const u32* bits, size_t first) {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            size_t i = first + r * 32 + lane_id();
            rows[r] = from.template load<Op>(i);
            heads[r] = i < from.count() ? bits_of_pack<T>(bits, i) : 0;
        }
    }

    // The value of a pack's pair: the aggregate of its elements from its last head on. Its flag is heads[r] != 0.
    template <typename Op> __device__ T aggregate(unsigned r) const {
        T aggregate = rows[r].elements[0];
#pragma unroll
        for (unsigned k = 1; k < Pack<T>::size; k++) {
            T x = rows[r].elements[k];
            aggregate = heads[r] >> k & 1 ? x : Op::combine(aggregate, x);
        }
        return aggregate;
    }

    // ANCHOR: scan
    // Finds what is open before each pack; returns the chunk's pair.
    template <typename Op> __device__ Pair<T> scan() {
        Pair<T> open = {Op::identity(), false};
        begun = 0;
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            Heads row(heads[r] != 0);
            T scanned = segmented_warp_scan<Op>(aggregate<Op>(r), row);
            T lanes = before_lane<Op>(scanned);
            before[r] = row.before ? lanes : Op::combine(open.value, lanes);
            begun |= u32(open.head || row.before) << r;
            open = combine<Op>(open, {__shfl_sync(ALL_LANES, scanned, 31), row.lanes != 0});
        }
        return open;
    }
    // ANCHOR_END: scan

    // How many of the chunk's first elements no head separates from what came before; one lane's part
    // of it.
    __device__ unsigned reached() const {
        unsigned elements = 0;
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            unsigned own = heads[r] != 0 ? __ffs(heads[r]) - 1 : Pack<T>::size;
            elements += begun >> r & 1 ? 0 : own;
        }
        return elements;
    }

    // ANCHOR: results
    // A row's results, given what is open before the warp's chunk.
    template <Kind KIND, typename Op> __device__ Pack<T> results(unsigned r, T open) const {
        T running = begun >> r & 1 ? before[r] : Op::combine(open, before[r]);
        Pack<T> results;
#pragma unroll
        for (unsigned k = 0; k < Pack<T>::size; k++) {
            running = heads[r] >> k & 1 ? Op::identity() : running;
            results.elements[k] = result<KIND, Op>(running, rows[r].elements[k]);
        }
        return results;
    }
    // ANCHOR_END: results

    // Writes the results, as far as the array goes; WHOLE promises that it goes further.
    template <Kind KIND, typename Op, bool WHOLE = false>
    __device__ void store(const Packs<T>& to, size_t first, T open) const {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            size_t i = first + r * 32 + lane_id();
            Pack<T> pack = results<KIND, Op>(r, open);
            if (WHOLE || (i + 1) * Pack<T>::size <= to.n) {
                uint4 words;
                memcpy(&words, &pack, sizeof words);
                reinterpret_cast<uint4*>(to.elements)[i] = words;
            } else {
                to.template store<false>(i, pack);
            }
        }
    }
};
