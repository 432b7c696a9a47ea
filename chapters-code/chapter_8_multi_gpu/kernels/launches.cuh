// The number of a launch, counted by the devices. So the host hands over nothing that changes, and a launch can be captured in
// a graph and replayed.
#pragma once

// ANCHOR: epoch
// The number of the launch behind number `before`; 0 stands before the first. A number has 31 bits and is never 0. Numbers are
// odd and even in turn, also where they begin again: there is an even number of them.
__device__ inline unsigned epoch_after(unsigned before) {
    return before < 0x7ffffffeu ? before + 1 : 1;
}
// ANCHOR_END: epoch

// (The kernel that is wrong on purpose has another way.)
#ifndef OWN_LAUNCHES
// ANCHOR: launches
// The number of the launch before, one word per block in the block's own device, 0 before the first. Launches on the same
// words have the same grid, and one ends before the next begins on the same device.
struct Launches {
    unsigned* before;

    // The number of this launch. All threads of a block call it.
    __device__ unsigned epoch() const { return epoch_after(before[blockIdx.x]); }

    // Counts this launch. All threads of the block have met since epoch().
    __device__ void count(unsigned epoch) const {
        if (threadIdx.x == 0) {
            before[blockIdx.x] = epoch;
        }
    }
};
// ANCHOR_END: launches
#endif
