// A square of elements in a thread's registers, as many packs of 16 bytes as a pack has elements,
// and its transpose: 16 x 16 elements of a byte, 4 x 4 of four, a single one of 16.
#pragma once
#include "matrix.cuh"

template <typename T> struct Square {
    static constexpr unsigned SIDE = 16 / sizeof(T);
    u32 words[SIDE][4];

    __device__ uint4 pack(unsigned i) const {
        return make_uint4(words[i][0], words[i][1], words[i][2], words[i][3]);
    }
    __device__ void set_pack(unsigned i, uint4 pack) {
        words[i][0] = pack.x;
        words[i][1] = pack.y;
        words[i][2] = pack.z;
        words[i][3] = pack.w;
    }
};

// ANCHOR: turn
// Elements of whole words: the registers only change names, and that costs no instruction.
template <typename T> __device__ Square<T> turned(const Square<T>& square) {
    constexpr unsigned WORDS = sizeof(T) / 4;
    Square<T> turned;
#pragma unroll
    for (unsigned i = 0; i < Square<T>::SIDE; i++) {
#pragma unroll
        for (unsigned w = 0; w < 4; w++) {
            turned.words[i][w] = square.words[w / WORDS][i * WORDS + w % WORDS];
        }
    }
    return turned;
}
// ANCHOR_END: turn

// ANCHOR: turn_halves
// Two elements per word: each word of the result takes its two from two words, by one instruction.
template <> __device__ Square<u16> turned(const Square<u16>& square) {
    Square<u16> turned;
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
#pragma unroll
        for (unsigned w = 0; w < 4; w++) {
            u32 upper = square.words[2 * w][i], lower = square.words[2 * w + 1][i];
            turned.words[2 * i][w] = __byte_perm(upper, lower, 0x5410);
            turned.words[2 * i + 1][w] = __byte_perm(upper, lower, 0x7632);
        }
    }
    return turned;
}
// ANCHOR_END: turn_halves

// Four elements per word: 4 x 4 of them are four words, and take eight instructions.
template <> __device__ Square<u8> turned(const Square<u8>& square) {
    Square<u8> turned;
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
#pragma unroll
        for (unsigned w = 0; w < 4; w++) {
            const u32 (*four)[4] = &square.words[4 * w];
            u32 low01 = __byte_perm(four[0][i], four[1][i], 0x5140);
            u32 low23 = __byte_perm(four[2][i], four[3][i], 0x5140);
            u32 high01 = __byte_perm(four[0][i], four[1][i], 0x7362);
            u32 high23 = __byte_perm(four[2][i], four[3][i], 0x7362);
            turned.words[4 * i][w] = __byte_perm(low01, low23, 0x5410);
            turned.words[4 * i + 1][w] = __byte_perm(low01, low23, 0x7632);
            turned.words[4 * i + 2][w] = __byte_perm(high01, high23, 0x5410);
            turned.words[4 * i + 3][w] = __byte_perm(high01, high23, 0x7632);
        }
    }
    return turned;
}
