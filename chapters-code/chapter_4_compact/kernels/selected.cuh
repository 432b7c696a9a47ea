// A warp's chunk of an array, four neighbouring elements per lane and row, and which of them are selected: what
// lookback.cu introduces, for the kernels that come after it.
#pragma once
#include "compact.cuh"

// Four elements, and as many bytes of a mask.
template <typename T> struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) Quad {
    T elements[4];
};

// ANCHOR: nibble
// Four bytes as four bits, in the same order: a bit is set where its byte is not 0. The sum carries
// into a byte's top bit where one of the lower seven is set; the product brings the four top bits side
// by side.
__device__ inline u32 nibble(u32 bytes) {
    u32 tops = (((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) & 0x80808080u;
    return (tops * 0x00204081u) >> 28;
}
// ANCHOR_END: nibble

// Which elements of a quad are selected, a bit each; all four are there.
template <typename T> __device__ u32 flags(const Mask<T>& by, size_t i, const Quad<T>&) {
    return nibble(*reinterpret_cast<const u32*>(by.bytes + i));
}
template <typename T> __device__ u32 flags(const Bits<T>& by, size_t i, const Quad<T>&) {
    return by.words[i / 32] >> i % 32 & 15;
}
template <typename T> __device__ u32 flags(const Predicate<T>& by, size_t i, const Quad<T>& quad) {
    u32 bits = 0;
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        bits |= u32(by.selects(i + k, quad.elements[k])) << k;
    }
    return bits;
}

// ROWS quads a lane, a multiple of 4. Row by row, neighbouring lanes have neighbouring quads.
template <typename T, unsigned ROWS> struct Selected {
    static constexpr unsigned ITEMS = ROWS * 32 * 4; // elements of a warp

    Quad<T> rows[ROWS];
    u32 selected[ROWS];   // a bit for each element of the quad
    u32 before[ROWS]; // how many the warp selects before it

    // Loads the chunk that begins at element `first`, a multiple of 4.
    template <typename By>
    __device__ void load(const T* in, size_t first, size_t n, const By& by) {
        if (first + ITEMS <= n) {
            load_whole(in, first, by);
        } else {
            load_last(in, first, n, by);
        }
    }

    // ANCHOR: load
    template <typename By> __device__ void load_whole(const T* in, size_t first, const By& by) {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            rows[r] = *reinterpret_cast<const Quad<T>*>(in + first + (r * 32 + lane_id()) * 4);
        }
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            selected[r] = flags(by, first + (r * 32 + lane_id()) * 4, rows[r]);
        }
    }
    // ANCHOR_END: load

    // As far as the array goes.
    template <typename By>
    __device__ void load_last(const T* in, size_t first, size_t n, const By& by) {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            selected[r] = 0;
#pragma unroll
            for (unsigned k = 0; k < 4; k++) {
                size_t i = first + (r * 32 + lane_id()) * 4 + k;
                if (i < n) {
                    rows[r].elements[k] = in[i];
                    selected[r] |= u32(by.selects(i, rows[r].elements[k])) << k;
                }
            }
        }
    }

    // ANCHOR: count
    // How many the warp selects, and before each quad. A row selects at most 128, which is a byte's worth: the
    // counts of four rows are scanned in one word.
    __device__ u32 count() {
        u32 all = 0;
#pragma unroll
        for (unsigned r = 0; r < ROWS; r += 4) {
            u32 four = 0;
#pragma unroll
            for (unsigned k = 0; k < 4; k++) {
                four |= __popc(selected[r + k]) << 8 * k;
            }
            u32 scanned = warp_scan<Sum<u32>>(four);
            u32 lanes = scanned - four, totals = __shfl_sync(ALL_LANES, scanned, 31);
#pragma unroll
            for (unsigned k = 0; k < 4; k++) {
                before[r + k] = all + (lanes >> 8 * k & 255);
                all += totals >> 8 * k & 255;
            }
        }
        return all;
    }
    // ANCHOR_END: count

    // ANCHOR: each
    // Calls put(index, element) for each selected element, with its rank among those of the warp.
    template <typename Put> __device__ void each_selected(const Put& put) const {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            u32 index = before[r];
#pragma unroll
            for (unsigned k = 0; k < 4; k++) {
                if (selected[r] >> k & 1) {
                    put(index, rows[r].elements[k]);
                }
                index += selected[r] >> k & 1;
            }
        }
    }
    // ANCHOR_END: each

    // Calls visit(index in the warp's chunk, how many the warp selects before it, whether it is selected, element)
    // for each element, also for those behind the array's end.
    template <typename Visit> __device__ void each(const Visit& visit) const {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            u32 index = before[r];
#pragma unroll
            for (unsigned k = 0; k < 4; k++) {
                u32 select = selected[r] >> k & 1;
                visit((r * 32 + lane_id()) * 4 + k, index, select, rows[r].elements[k]);
                index += select;
            }
        }
    }
};
