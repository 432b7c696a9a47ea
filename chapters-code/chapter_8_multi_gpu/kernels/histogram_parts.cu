// Adds the histograms of all devices, each device some of the bins: it loads them from all devices, and stores the sums
// to the first.
//
// add_counts(Counts counts, unsigned* out, unsigned first, unsigned end, int devices)
// Launch: one per device, with the counters from `first` to before `end`; a thread per counter.
#include "pointers.cuh"

// The histogram of each device, in its own memory.
struct Counts {
    unsigned* of[MOST];
};

// ANCHOR: add_counts
extern "C" __global__ void add_counts(const __grid_constant__ Counts counts, unsigned* out,
                                      unsigned first, unsigned end, int devices) {
    unsigned c = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (c < end) {
        unsigned sum = 0;
        for (int d = 0; d < devices; ++d) {
            sum += counts.of[d][c];
        }
        out[c] = sum;
    }
}
// ANCHOR_END: add_counts
