// What the kernels share that give each segment as many lanes as its length needs: four loads of 16 bytes in
// flight per lane, and the aggregate of a segment's lanes.
#pragma once
#include "../../chapter_1_reduce/kernels/pack.cuh"
#include "reduce.cuh"

constexpr unsigned IN_FLIGHT = 4;

// ANCHOR: reduce_elements
// A thread's part of the aggregate of the elements [begin, end), which the threads of one threadIdx.y share: whole
// packs, and at either end fewer elements than a pack has.
template <typename Op, typename T>
__device__ T reduce_elements(const T* in, size_t begin, size_t end) {
    constexpr unsigned SIZE = Pack<T>::size;
    size_t first = (begin + SIZE - 1) / SIZE, last = end / SIZE; // packs
    T aggregate = Op::identity();
    for (size_t i = first + threadIdx.x; i < last; i += IN_FLIGHT * blockDim.x) {
        Pack<T> packs[IN_FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < IN_FLIGHT; k++) {
            size_t j = i + k * blockDim.x; // past the end, the first pack once more
            packs[k] = load_pack<T>(reinterpret_cast<const uint4*>(in) + (j < last ? j : i));
        }
#pragma unroll
        for (unsigned k = 0; k < IN_FLIGHT; k++) {
            if (i + k * blockDim.x < last) {
                aggregate = Op::combine(aggregate, reduce_pack<Op>(packs[k]));
            }
        }
    }
    size_t before = min(first * SIZE, end), behind = max(last * SIZE, before);
    for (size_t i = begin + threadIdx.x; i < before; i += blockDim.x) {
        aggregate = Op::combine(aggregate, in[i]);
    }
    for (size_t i = behind + threadIdx.x; i < end; i += blockDim.x) {
        aggregate = Op::combine(aggregate, in[i]);
    }
    return aggregate;
}
// ANCHOR_END: reduce_elements

// ANCHOR: lanes_reduce
// The aggregate of the values of `lanes` neighboring lanes, a power of two, in each of them. All 32 lanes must call it;
// Op must be commutative.
template <typename Op, typename T> __device__ T lanes_reduce(T x, unsigned lanes) {
    for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
        x = Op::combine(x, T(__shfl_xor_sync(ALL_LANES, x, distance)));
    }
    return x;
}
// ANCHOR_END: lanes_reduce
