// A barrier of all devices.
#pragma once
#include "pointers.cuh"

// The flags of each device, in its own memory: one per block and device that arrives.
struct Flags {
    unsigned* of[MOST];
};

// ANCHOR: barrier
// Tells block blockIdx.x of every device that this device's block has come to `epoch`. What the block wrote before is
// there for whoever sees the flag.
template <int DEVICES> __device__ void arrive(const Flags& flags, int device, unsigned epoch) {
    __syncthreads();
    if (threadIdx.x < DEVICES) {
        unsigned* flag = flags.of[threadIdx.x] + blockIdx.x * MOST + device;
        asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
    }
}

// Waits until block blockIdx.x of every device has come to `epoch`, or to a later one. Epochs grow from launch to
// launch, so the flags are never reset.
template <int DEVICES> __device__ void wait(const Flags& flags, int device, unsigned epoch) {
    if (threadIdx.x < DEVICES) {
        const unsigned* flag = flags.of[device] + blockIdx.x * MOST + threadIdx.x;
        unsigned seen;
        do {
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        } while (int(seen - epoch) < 0);
    }
    __syncthreads();
}
// ANCHOR_END: barrier
