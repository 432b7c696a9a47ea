// Sixteen bytes of elements: what one load instruction of a thread can bring at most.
#pragma once
#include "operators.cuh"
// ANCHOR: pack
template <typename T> struct Pack {
    static constexpr unsigned size = 16 / sizeof(T);
    T elements[size];
};
// ANCHOR_END: pack
// ANCHOR: load
// Loads a pack from a 16-byte aligned address, by one instruction for every dtype.
template <typename T> __device__ Pack<T> load_pack(const uint4* address) {
    uint4 words = *address;
    Pack<T> pack;
    memcpy(&pack, &words, sizeof pack);
    return pack;
}
// ANCHOR_END: load
// ANCHOR: fold_pack
// The aggregate of a pack as a balanced tree: its operations don't wait for each other, and the rounding
// error grows with the logarithm of the pack's size.
template <typename Op, typename T> __device__ Acc<T> reduce_pack(const Pack<T>& pack) {
    Acc<T> x[Pack<T>::size];
#pragma unroll
    for (unsigned k = 0; k < Pack<T>::size; k++) {
        x[k] = widen(pack.elements[k]);
    }
#pragma unroll
    for (unsigned half = Pack<T>::size / 2; half > 0; half /= 2) {
#pragma unroll
        for (unsigned k = 0; k < half; k++) {
            x[k] = Op::combine(x[k], x[k + half]);
        }
    }
    return x[0];
}
// ANCHOR_END: fold_pack
// ANCHOR: packed
// `head` elements up to a 16-byte boundary, whole packs, `tail` elements; head and tail for single threads.
template <typename T> struct Packed {
    const uint4* packs;
    size_t pack_count;
    unsigned head, tail;
    const T* tail_start;

    __device__ Packed(const T* in, size_t n) {
        head = unsigned(-reinterpret_cast<size_t>(in) % 16) / sizeof(T);
        head = head < n ? head : unsigned(n);
        packs = reinterpret_cast<const uint4*>(in + head);
        pack_count = (n - head) / Pack<T>::size;
        tail = unsigned((n - head) % Pack<T>::size);
        tail_start = in + (n - tail);
    }
};
// ANCHOR_END: packed
