// One thread keeps what is to be kept, in order: the sequential algorithm, on a GPU.
//
// <by>_<type>(const type* in, type* out, size_t n, size_t capacity, u64* kept, const void* mask, u64 pivot)
// Launch: one block of one thread, no dynamic shared memory. Writes *kept, the number of elements that
// are kept, and out[0 .. min(*kept, capacity)].
#define LAUNCH_BOUNDS
#include "compact.cuh"

// ANCHOR: compact
template <typename By, typename T>
__device__ void compact(const T* in, Output<T> out, size_t n, By by) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        T x = in[i];
        if (by.keeps(i, x)) {
            out.put(kept, x);
            kept++;
        }
    }
    *out.kept = kept;
}
// ANCHOR_END: compact

FOR_EACH_CHOICE(WHOLE_KERNEL)
FOR_OTHER_PREDICATES(WHOLE_KERNEL)
