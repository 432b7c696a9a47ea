// Every kernel of this folder comes twice: under its name with one bug planted, and under its name
// followed by `_ok` without it. The body is written once; `OK` is true in the second.
//
// in: n values. out, scratch: n zeros. fresh: n elements that nobody has written. `../list.rs` has
// the launches.
#pragma once

#define ARGUMENTS const int *in, int *out, int *scratch, int *fresh, int n

#define KERNEL(name)                                                     \
    template <bool OK> __device__ void name##_body(ARGUMENTS);           \
    extern "C" __global__ void name(ARGUMENTS) {                         \
        name##_body<false>(in, out, scratch, fresh, n);                  \
    }                                                                    \
    extern "C" __global__ void name##_ok(ARGUMENTS) {                    \
        name##_body<true>(in, out, scratch, fresh, n);                   \
    }                                                                    \
    template <bool OK> __device__ __forceinline__ void name##_body(ARGUMENTS)

const unsigned FULL = 0xffffffff;
