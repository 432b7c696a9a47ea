// What the kernels of this chapter share: the operators of chapter 1, one that does not commute, and
// the macros that give each template its entry points.
//
// An entry point is called <kind>_<operator>_<dtype>, such as inclusive_sum_f32. Elements, partial
// results and results are of the dtype.
#pragma once
#include "../../chapter_1_reduce/kernels/operators.cuh"

using u8 = unsigned char;
using u64 = unsigned long long;

enum class Kind { Inclusive, Exclusive };

// ANCHOR: affine
// The composition of maps x -> a*x + b, the left one first, modulo 2^32. The high word of an element
// is a, the low word b. Associative, but not commutative: a kernel that swaps its operands fails.
template <typename A> struct Affine;
template <> struct Affine<i64> {
    static __device__ i64 identity() { return 1ll << 32; }
    static __device__ i64 combine(i64 first, i64 then) {
        u32 a1 = u32(u64(first) >> 32), b1 = u32(first);
        u32 a2 = u32(u64(then) >> 32), b2 = u32(then);
        return i64(u64(a1 * a2) << 32 | (a2 * b1 + b2));
    }
};
// ANCHOR_END: affine

// Whether operands may change places, and a fold's elements be taken in any order.
template <typename Op> constexpr bool COMMUTATIVE = true;
template <> constexpr bool COMMUTATIVE<Affine<i64>> = false;

// Results are written as they are made, from the prefix before an element and the element.
template <Kind KIND, typename Op, typename T> __device__ T result(T& prefix, T element) {
    T before = prefix;
    prefix = Op::combine(prefix, element);
    return KIND == Kind::Inclusive ? prefix : before;
}

// ---- Entry points ------------------------------------------------------------------------------

// Calls M(operator's name, operator, dtype) for all that every rung provides.
#define FOR_EACH_OPERATOR(M) \
    M(sum, Sum, i32) M(sum, Sum, u32) M(sum, Sum, i64) M(sum, Sum, f32) M(sum, Sum, f64) \
    M(max, Max, i32) M(max, Max, u32) M(max, Max, i64) M(max, Max, f32) M(max, Max, f64) \
    M(affine, Affine, i64)

// The signature of a kernel that scans its blocks one by one: block b scans its share, as if nothing
// came before it, and writes the fold of it to sums[b]. The file defines scan<KIND, Op, T>.
#define BLOCKS_KERNEL_OF(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS kind##_##name##_##dtype( \
        const dtype* __restrict__ in, dtype* __restrict__ out, size_t n, \
        dtype* __restrict__ sums) { \
        scan<Kind::KIND, Op<dtype>>(in, out, n, sums); \
    }
#define BLOCKS_KERNEL(name, Op, dtype) \
    BLOCKS_KERNEL_OF(inclusive, Inclusive, name, Op, dtype) \
    BLOCKS_KERNEL_OF(exclusive, Exclusive, name, Op, dtype)
