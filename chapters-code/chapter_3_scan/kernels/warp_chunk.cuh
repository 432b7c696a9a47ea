// A warp's chunk of an array in packs of 16 bytes, loaded, scanned and stored: what vectorized.cu
// introduces, for the kernels that come after it.
#pragma once
#include "../../chapter_1_reduce/kernels/pack.cuh"
#include "warp_scan.cuh"

// An array of n elements, 16-byte aligned, seen as packs; the last one may not be full.
template <typename T> struct Packs {
    T* elements;
    size_t n;

    __device__ size_t count() const { return (n + Pack<T>::size - 1) / Pack<T>::size; }

    // Pack i, with identities where the array has no elements.
    template <typename Op> __device__ Pack<T> load(size_t i) const {
        if ((i + 1) * Pack<T>::size <= n) {
            return load_pack<T>(reinterpret_cast<const uint4*>(elements) + i);
        }
        Pack<T> pack;
#pragma unroll
        for (unsigned k = 0; k < Pack<T>::size; k++) {
            size_t j = i * Pack<T>::size + k;
            pack.elements[k] = j < n ? elements[j] : Op::identity();
        }
        return pack;
    }

    // Writes pack i, as far as the array goes; WHOLE promises that it goes further.
    template <bool WHOLE> __device__ void store(size_t i, const Pack<T>& pack) const {
        if (WHOLE || (i + 1) * Pack<T>::size <= n) {
            uint4 words;
            memcpy(&words, &pack, sizeof words);
            reinterpret_cast<uint4*>(elements)[i] = words;
            return;
        }
#pragma unroll
        for (unsigned k = 0; k < Pack<T>::size; k++) {
            size_t j = i * Pack<T>::size + k;
            if (j < n) {
                elements[j] = pack.elements[k];
            }
        }
    }
};

// ROWS packs a lane. Row by row, neighbouring lanes have neighbouring packs.
template <typename T, unsigned ROWS> struct WarpChunk {
    Pack<T> rows[ROWS];

    // Where a lane's first pack is, in packs, given where its warp's chunk begins; the next ones
    // come every 32 packs.
    template <typename Op> __device__ void load(const Packs<T>& from, size_t first) {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            rows[r] = from.template load<Op>(first + r * 32 + lane_id());
        }
    }

    // ANCHOR: scan
    // Turns elements into what comes before each pack in the warp's chunk; returns the chunk's aggregate.
    template <typename Op> __device__ T scan(T (&before)[ROWS]) const {
        T scanned[ROWS];
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            T aggregate = rows[r].elements[0];
#pragma unroll
            for (unsigned k = 1; k < Pack<T>::size; k++) {
                aggregate = Op::combine(aggregate, rows[r].elements[k]);
            }
            scanned[r] = warp_scan<Op>(aggregate);
        }
        T aggregate = Op::identity();
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            before[r] = Op::combine(aggregate, before_lane<Op>(scanned[r]));
            aggregate = Op::combine(aggregate, __shfl_sync(ALL_LANES, scanned[r], 31));
        }
        return aggregate;
    }
    // ANCHOR_END: scan

    // Writes the results, given what comes before the warp's chunk.
    template <Kind KIND, typename Op, bool WHOLE = false>
    __device__ void store(const Packs<T>& to, size_t first, T prefix, const T (&before)[ROWS]) const {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            T running = Op::combine(prefix, before[r]);
            Pack<T> results;
#pragma unroll
            for (unsigned k = 0; k < Pack<T>::size; k++) {
                results.elements[k] = result<KIND, Op>(running, rows[r].elements[k]);
            }
            to.template store<WHOLE>(first + r * 32 + lane_id(), results);
        }
    }
};
