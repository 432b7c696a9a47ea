// one_thread for other kinds, operators and types: <kind>_<op>_<dtype>, launched as inclusive_sum_f32 is.
#pragma once
#include "types.cuh"

// ANCHOR: scan
template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n) {
    T prefix = Op::identity();
    for (size_t i = 0; i < n; i++) {
        out[i] = result<KIND, Op>(prefix, in[i]);
    }
}
// ANCHOR_END: scan

// ANCHOR: entry
#define KERNEL(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void kind##_##name##_##dtype(const dtype* __restrict__ in, \
                                                       dtype* __restrict__ out, size_t n) { \
        scan<Kind::KIND, Op<dtype>>(in, out, n); \
    }
BOTH_KINDS(KERNEL, sum, Sum, i64)
// ANCHOR_END: entry
