// Adds the arrays of all devices, element by element.
#pragma once
#include "pointers.cuh"

__device__ float4 operator+(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// ANCHOR: add
// The sum of one element per device, always in the order of the devices: all devices get the same bits.
template <int DEVICES, typename T> __device__ T add(const T (&element)[DEVICES]) {
    T sum = element[0];
#pragma unroll
    for (int d = 1; d < DEVICES; ++d) {
        sum = sum + element[d];
    }
    return sum;
}

// The sum of element i of every device's array. All loads come before the first addition.
template <int DEVICES, typename T> __device__ T sum_of_all(const Pointers& in, size_t i) {
    T element[DEVICES];
#pragma unroll
    for (int d = 0; d < DEVICES; ++d) {
        element[d] = reinterpret_cast<const T*>(in.of[d])[i];
    }
    return add<DEVICES>(element);
}

// Element i of every device's array becomes `value`.
template <int DEVICES, typename T>
__device__ void store_to_all(const Pointers& out, size_t i, T value) {
#pragma unroll
    for (int d = 0; d < DEVICES; ++d) {
        reinterpret_cast<T*>(out.of[d])[i] = value;
    }
}
// ANCHOR_END: add

// A kernel of a template for every number of devices.
#define KERNELS_OF(KERNEL)                                                                         \
    KERNEL(2) KERNEL(3) KERNEL(4) KERNEL(5) KERNEL(6) KERNEL(7) KERNEL(8)
