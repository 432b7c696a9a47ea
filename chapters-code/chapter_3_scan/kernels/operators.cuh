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

// Whether operands may be exchanged, and a reduction's elements be taken in any order.
template <typename Op> constexpr bool COMMUTATIVE = true;
template <> constexpr bool COMMUTATIVE<Affine<i64>> = false;

// Results are written as they are made, from the prefix before an element and the element.
template <Kind KIND, typename Op, typename T> __device__ T result(T& prefix, T element) {
    T before = prefix;
    prefix = Op::combine(prefix, element);
    return KIND == Kind::Inclusive ? prefix : before;
}

// ---- Entry points ------------------------------------------------------------------------------

// Calls M(kind, KIND, operator's name, operator, dtype) for both kinds.
#define BOTH_KINDS(M, name, Op, dtype) \
    M(inclusive, Inclusive, name, Op, dtype) M(exclusive, Exclusive, name, Op, dtype)
// The same for what every rung provides. PTX is long, so few rungs provide more.
#define FOR_EVERY_RUNG(M) \
    BOTH_KINDS(M, sum, Sum, i64) BOTH_KINDS(M, sum, Sum, f32) BOTH_KINDS(M, affine, Affine, i64) \
    M(inclusive, Inclusive, sum, Sum, u32) M(inclusive, Inclusive, sum, Sum, f64) \
    M(inclusive, Inclusive, max, Max, i32)
// The other inclusive scans, which the last rung of the ladder provides too.
#define FOR_OTHER_INCLUSIVE(M) \
    M(inclusive, Inclusive, sum, Sum, i32) M(inclusive, Inclusive, max, Max, u32) \
    M(inclusive, Inclusive, max, Max, i64) M(inclusive, Inclusive, max, Max, f32) \
    M(inclusive, Inclusive, max, Max, f64)
// The other exclusive scans, which only the first rung provides.
#define FOR_OTHER_EXCLUSIVE(M) \
    M(exclusive, Exclusive, sum, Sum, i32) M(exclusive, Exclusive, sum, Sum, u32) \
    M(exclusive, Exclusive, sum, Sum, f64) M(exclusive, Exclusive, max, Max, i32) \
    M(exclusive, Exclusive, max, Max, u32) M(exclusive, Exclusive, max, Max, i64) \
    M(exclusive, Exclusive, max, Max, f32) M(exclusive, Exclusive, max, Max, f64)
// Calls M(operator's name, operator, dtype) for the operators of FOR_EVERY_RUNG.
#define FOR_EVERY_RUNGS_OPERATORS(M) \
    M(sum, Sum, u32) M(sum, Sum, i64) M(sum, Sum, f32) M(sum, Sum, f64) \
    M(max, Max, i32) M(affine, Affine, i64)

// The signature of a kernel that scans its blocks one by one: block b scans its elements, as if nothing
// came before it, and writes the aggregate of it to sums[b]. The file defines scan<KIND, Op, T>.
#define BLOCKS_KERNEL(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS kind##_##name##_##dtype( \
        const dtype* __restrict__ in, dtype* __restrict__ out, size_t n, \
        dtype* __restrict__ sums) { \
        scan<Kind::KIND, Op<dtype>>(in, out, n, sums); \
    }
