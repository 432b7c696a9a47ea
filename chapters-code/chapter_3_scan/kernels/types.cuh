// What the rungs with a plain inclusive_sum_f32 need for the other kinds, operators and types. Each has a template of
// the same kernel in <rung>_types.cuh.
#pragma once
#include "operators.cuh"

// The block's dynamic shared memory, aligned for elements of every type.
extern __shared__ __align__(16) float shared_memory[];

// What follows inclusive_sum_f32 in FOR_EVERY_RUNG. BOTH_KINDS(M, sum, Sum, i64) precedes it.
#define FOR_REST_OF_EVERY_RUNG(M) \
    M(exclusive, Exclusive, sum, Sum, f32) BOTH_KINDS(M, affine, Affine, i64) \
    M(inclusive, Inclusive, sum, Sum, u32) M(inclusive, Inclusive, sum, Sum, f64) \
    M(inclusive, Inclusive, max, Max, i32)
