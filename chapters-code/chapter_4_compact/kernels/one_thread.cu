// One thread selects what is to be selected, in order: the sequential algorithm, on a GPU.
//
// <by>_<type>(const type* in, type* out, size_t n, size_t capacity, u64* selected, const void* mask, u64 pivot)
// Launch: one block of one thread, no dynamic shared memory. Writes *selected, the number of elements that
// are selected, and out[0 .. min(*selected, capacity)].
#define LAUNCH_BOUNDS
#include "compact.cuh"

// ANCHOR: compact
template <typename By, typename T>
__device__ void compact(const T* in, Output<T> out, size_t n, By by) {
    size_t selected = 0;
    for (size_t i = 0; i < n; i++) {
        T x = in[i];
        if (by.selects(i, x)) {
            out.put(selected, x);
            selected++;
        }
    }
    *out.selected = selected;
}
// ANCHOR_END: compact

FOR_EACH_CHOICE(WHOLE_KERNEL)
FOR_OTHER_PREDICATES(WHOLE_KERNEL)
