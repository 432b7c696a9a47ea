// What the segmented reduces share: the aggregate of a warp, and their signatures. Their entry points are
// called <operator>_<dtype>, such as sum_f32.
#pragma once
#include "flagged.cuh"

// The aggregate of a warp's values, in every lane. All 32 lanes must call it; Op must be commutative.
template <typename Op, typename T> __device__ T warp_reduce(T x) {
#pragma unroll
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        x = Op::combine(x, T(__shfl_xor_sync(ALL_LANES, x, lanes)));
    }
    return x;
}

// The file defines reduce<Op, T>.
#define REDUCE_SEGMENTS_KERNEL(name, Op, dtype) \
    extern "C" __global__ void name##_##dtype( \
        const dtype* __restrict__ in, dtype* __restrict__ out, \
        const u32* __restrict__ offsets, u32 segments) { \
        reduce<Op<dtype>>(in, out, offsets, segments); \
    }
