// What the kernels of this chapter share: element types, accumulators, operators, and the macros
// that give each template its entry points.
//
// An entry point is called <operator>_<dtype>, such as sum_f32. It reads elements of its dtype and
// writes values of its accumulator type: f32 for f16 and bf16, whose 11 and 8 bits of significand
// are soon too few for a sum, and the dtype itself for all others.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using f32 = float;
using f64 = double;
using f16 = __half;
using bf16 = __nv_bfloat16;

// ---- Accumulators ------------------------------------------------------------------------------
// ANCHOR: accumulators
template <typename T> struct AccumulatorOf { using type = T; };
template <> struct AccumulatorOf<f16> { using type = f32; };
template <> struct AccumulatorOf<bf16> { using type = f32; };
template <typename T> using Acc = typename AccumulatorOf<T>::type;

// An element as a value of its accumulator type: exact for every dtype.
template <typename T> __device__ T widen(T x) { return x; }
__device__ inline f32 widen(f16 x) { return __half2float(x); }
__device__ inline f32 widen(bf16 x) { return __bfloat162float(x); }
// ANCHOR_END: accumulators
// ---- The ends of each type's order, infinite where there is an infinity ------------------------

template <typename A> struct Range;
template <> struct Range<i32> {
    static __device__ i32 lowest() { return -2147483647 - 1; }
    static __device__ i32 highest() { return 2147483647; }
};
template <> struct Range<u32> {
    static __device__ u32 lowest() { return 0; }
    static __device__ u32 highest() { return 0xffffffffu; }
};
template <> struct Range<i64> {
    static __device__ i64 lowest() { return -9223372036854775807ll - 1; }
    static __device__ i64 highest() { return 9223372036854775807ll; }
};
template <> struct Range<f32> {
    static __device__ f32 lowest() { return __int_as_float(0xff800000); }
    static __device__ f32 highest() { return __int_as_float(0x7f800000); }
};
template <> struct Range<f64> {
    static __device__ f64 lowest() { return __longlong_as_double(0xfff0000000000000ll); }
    static __device__ f64 highest() { return __longlong_as_double(0x7ff0000000000000ll); }
};

// ---- Operators: associative, each with its identity e: combine(e, x) is x, but for -0 and NaN ---

// Integers wrap, like Rust's wrapping_add: computed unsigned, where C++ defines that.
template <typename A> struct Sum {
    static __device__ A identity() { return A(0); }
    static __device__ A combine(A a, A b) { return a + b; }
};
template <> __device__ inline i32 Sum<i32>::combine(i32 a, i32 b) { return i32(u32(a) + u32(b)); }
template <> __device__ inline i64 Sum<i64>::combine(i64 a, i64 b) {
    return i64((unsigned long long)a + (unsigned long long)b);
}
// ANCHOR: product
template <typename A> struct Product {
    static __device__ A identity() { return A(1); }
    static __device__ A combine(A a, A b) { return a * b; }
}; // ANCHOR_END: product
template <> __device__ inline i32 Product<i32>::combine(i32 a, i32 b) {
    return i32(u32(a) * u32(b));
}
template <> __device__ inline i64 Product<i64>::combine(i64 a, i64 b) {
    return i64((unsigned long long)a * (unsigned long long)b);
}

// Floats: as IEEE 754's maximumNumber, a NaN loses against any number, and +0 is above -0. So NaNs
// are skipped, and a reduction over nothing but NaNs gives the identity. (PyTorch's max, by
// contrast, returns NaN as soon as one element is NaN.)
template <typename A> struct Max {
    static __device__ A identity() { return Range<A>::lowest(); }
    static __device__ A combine(A a, A b) { return max(a, b); }
};

template <typename A> struct Min {
    static __device__ A identity() { return Range<A>::highest(); }
    static __device__ A combine(A a, A b) { return min(a, b); }
};

template <typename A> struct And {
    static __device__ A identity() { return ~A(0); }
    static __device__ A combine(A a, A b) { return a & b; }
};

template <typename A> struct Or {
    static __device__ A identity() { return A(0); }
    static __device__ A combine(A a, A b) { return a | b; }
};

// ---- Shared memory -----------------------------------------------------------------------------
// ANCHOR: shared_array
// The block's dynamic shared memory as an array; the launch sets its size.
template <typename A> __device__ A* shared_array() {
    extern __shared__ __align__(16) unsigned char shared_memory[];
    return reinterpret_cast<A*>(shared_memory);
}
// ANCHOR_END: shared_array
// ---- Entry points ------------------------------------------------------------------------------

// Calls M(operator's name, operator, dtype) for all types …
#define FOR_EACH_DTYPE(M, name, Op) \
    M(name, Op, i32) M(name, Op, u32) M(name, Op, i64) \
    M(name, Op, f32) M(name, Op, f64) M(name, Op, f16) M(name, Op, bf16)
// … for sums, maxima and minima of all types …
#define FOR_SUM_MAX_MIN(M) \
    FOR_EACH_DTYPE(M, sum, Sum) FOR_EACH_DTYPE(M, max, Max) FOR_EACH_DTYPE(M, min, Min)
// … for all that every rung provides: PTX is long, so few rungs provide more …
#define FOR_EVERY_REDUCTION(M) \
    FOR_EACH_DTYPE(M, sum, Sum) \
    M(max, Max, i32) M(max, Max, f32) M(max, Max, f16) M(min, Min, f32)
// … and for the operators that a few rungs provide too.
#define FOR_PRODUCT_AND_OR(M) \
    M(product, Product, i32) M(product, Product, u32) M(product, Product, i64) \
    M(product, Product, f32) M(product, Product, f64) \
    M(and, And, i32) M(and, And, u32) M(and, And, i64) \
    M(or, Or, i32) M(or, Or, u32) M(or, Or, i64)

// The most threads of a block, and the blocks that a multiprocessor must have registers for. A file
// whose launch relies on either defines it before its includes.
#ifndef LAUNCH_BOUNDS
#define LAUNCH_BOUNDS
#endif
// ANCHOR: entry
// The signature that the ladder has in common: reduces n elements of `in`; block b writes the aggregate
// of its elements to out[b]. The file defines reduce<Op, T>.
#define REDUCE_KERNEL(name, Op, dtype) \
    extern "C" __global__ void name##_##dtype(const dtype* __restrict__ in, \
                                              Acc<dtype>* __restrict__ out, size_t n) { \
        reduce<Op<Acc<dtype>>>(in, out, n); \
    }
// ANCHOR_END: entry
// The signature of the kernels for a row-major matrix of rows * cols elements.
#define MATRIX_KERNEL(name, Op) \
    extern "C" __global__ void LAUNCH_BOUNDS name##_f32( \
        const f32* __restrict__ in, f32* __restrict__ out, size_t rows, size_t cols) { \
        reduce<Op<f32>>(in, out, rows, cols); \
    }
#define MATRIX_KERNELS MATRIX_KERNEL(sum, Sum) MATRIX_KERNEL(max, Max) MATRIX_KERNEL(min, Min)

// The signature of the kernels that finish in one launch, the last block reducing the partials.
#define SINGLE_PASS_KERNEL(name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS name##_##dtype( \
        const dtype* __restrict__ in, Acc<dtype>* __restrict__ out, size_t n, \
        Acc<dtype>* partials, unsigned* counter) { \
        reduce<Op<Acc<dtype>>>(in, out, n, partials, counter); \
    }
