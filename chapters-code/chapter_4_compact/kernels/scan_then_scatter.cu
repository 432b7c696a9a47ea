// Three kernels: flags of 0 and 1, their exclusive scan by a kernel of chapter 3, and a scatter that
// finds each selected element's index in it.
//
// flags_<by>_<type>(const type* in, unsigned* flags, size_t n, const void* mask, u64 pivot)
// <by>_<type>(const type* in, type* out, size_t n, size_t capacity, u64* selected, const void* mask, u64 pivot,
//             const unsigned* before): before[i] is how many flags are set before i
// Launch: both ceil(n / 256) blocks of 256 threads, no dynamic shared memory; n > 0, n < 2^32.
#include "compact.cuh"

// ANCHOR: flags
template <typename By, typename T> __device__ void flags(const T* in, u32* flags, size_t n, By by) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        flags[i] = by.selects(i, in[i]);
    }
}
// ANCHOR_END: flags

// ANCHOR: scatter
template <typename By, typename T>
__device__ void scatter(const T* in, Output<T> out, size_t n, By by, const u32* before) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    T x = in[i];
    bool select = by.selects(i, x);
    if (select) {
        out.put(before[i], x);
    }
    if (i == n - 1) {
        *out.selected = before[i] + select;
    }
}
// ANCHOR_END: scatter

#define KERNELS(by, By, type) \
    extern "C" __global__ void flags_##by##_##type(const type* __restrict__ in, \
                                                   u32* __restrict__ to, size_t n, \
                                                   const void* __restrict__ mask, u64 pivot) { \
        flags(in, to, n, CHOICE(By, type)); \
    } \
    extern "C" __global__ void by##_##type(PARAMETERS(type), const u32* __restrict__ before) { \
        scatter(in, OUTPUT(type), n, CHOICE(By, type), before); \
    }
FOR_EACH_CHOICE(KERNELS)
