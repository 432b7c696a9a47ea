// Rows of a matrix as packs of 16 bytes, where they are aligned, and as elements where they are not.
#pragma once
#include "square.cuh"

// Whether every row begins with a whole pack.
template <typename T> __device__ bool is_packed(const Matrix<T>& matrix) {
    return reinterpret_cast<size_t>(matrix.elements) % 16 == 0 && matrix.ld * sizeof(T) % 16 == 0;
}

// ANCHOR: load
// The pack at (row, col), of which an edge may cut off a part, or all.
template <typename T>
__device__ uint4 load_pack(const Matrix<const T>& in, size_t row, size_t col, bool packed) {
    constexpr unsigned SIDE = Square<T>::SIDE;
    if (packed && row < in.rows && col + SIDE <= in.cols) {
        return *reinterpret_cast<const uint4*>(&in(row, col));
    }
    T elements[SIDE] = {};
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++) {
        if (in.has(row, col + i)) {
            elements[i] = in(row, col + i);
        }
    }
    uint4 pack;
    memcpy(&pack, elements, sizeof pack);
    return pack;
}
// ANCHOR_END: load

// Stores as much of a pack as there is room for at (row, col). By a plain assignment the compiler would share
// the element-wise code below, and a whole pack would take four stores: __stwb is one.
template <typename T>
__device__ void store_pack(const Matrix<T>& out, size_t row, size_t col, bool packed, uint4 pack) {
    constexpr unsigned SIDE = Square<T>::SIDE;
    if (packed && row < out.rows && col + SIDE <= out.cols) {
        __stwb(reinterpret_cast<uint4*>(&out(row, col)), pack);
        return;
    }
    T elements[SIDE];
    memcpy(elements, &pack, sizeof pack);
#pragma unroll
    for (unsigned i = 0; i < SIDE; i++) {
        if (out.has(row, col + i)) {
            out(row, col + i) = elements[i];
        }
    }
}

// Stores a pack, aligned, at element `at` of a row of `n` elements, as much of it as the row has.
template <typename T>
__device__ void store_partial_pack(T* row, size_t n, long long at, const T (&elements)[16 / sizeof(T)]) {
    constexpr unsigned PACK = 16 / sizeof(T);
    if (at >= 0 && at + PACK <= (long long)n) {
        uint4 pack;
        memcpy(&pack, elements, sizeof pack);
        __stwb(reinterpret_cast<uint4*>(row + at), pack);
        return;
    }
#pragma unroll
    for (unsigned k = 0; k < PACK; k++) {
        if (at + k >= 0 && at + k < (long long)n) {
            row[at + k] = elements[k];
        }
    }
}
