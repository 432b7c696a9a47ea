// A barrier of all devices.
#pragma once
#include "pointers.cuh"

// The flags of each device: one per block and device that arrives, in the device's own memory.
struct Flags {
    unsigned* of[MOST];
};

// ANCHOR: barrier
// Waits until block blockIdx.x of every device has arrived with this epoch, or a later one. What the blocks wrote
// before, all of them see afterwards. Epochs grow from launch to launch, so the flags are never reset.
template <int DEVICES>
__device__ void barrier_of_devices(const Flags& flags, int device, unsigned epoch) {
    __syncthreads();
    if (threadIdx.x < DEVICES) {
        unsigned* theirs = flags.of[threadIdx.x] + blockIdx.x * MOST + device;
        asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(theirs), "r"(epoch) : "memory");
        const unsigned* own = flags.of[device] + blockIdx.x * MOST + threadIdx.x;
        unsigned seen;
        do {
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(own) : "memory");
        } while (int(seen - epoch) < 0);
    }
    __syncthreads();
}
// ANCHOR_END: barrier
