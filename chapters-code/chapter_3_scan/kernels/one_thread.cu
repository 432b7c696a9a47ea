// One thread scans everything, in order: the sequential algorithm, on a GPU.
//
// Launch: one block of one thread, no dynamic shared memory. Writes out[0 .. n].
#include "one_thread_types.cuh"

// ANCHOR: kernel
extern "C" __global__ void inclusive_sum_f32(const float* __restrict__ in, float* __restrict__ out,
                                             size_t n) {
    float prefix = 0.0f;
    for (size_t i = 0; i < n; i++) {
        prefix += in[i];
        out[i] = prefix;
    }
}
// ANCHOR_END: kernel

// The other kinds, operators and types.
FOR_REST_OF_EVERY_RUNG(KERNEL)
FOR_OTHER_INCLUSIVE(KERNEL)
FOR_OTHER_EXCLUSIVE(KERNEL)
