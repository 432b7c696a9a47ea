// A barrier of all devices.
#pragma once
#include "pointers.cuh"

// The flags of each device, in its own memory: one per block and device that arrives.
struct Flags {
    unsigned* of[MOST];
};

// ANCHOR: barrier
// The instructions that store and load a flag. (The kernels that are wrong on purpose define other ones before.)
#ifndef STORE_FLAG
#define STORE_FLAG "st.release.sys.global.u32"
#endif
#ifndef LOAD_FLAG
#define LOAD_FLAG "ld.acquire.sys.global.u32"
#endif

// The first epoch of this launch. The flag from the block to itself lies in its own device's memory, and still holds
// the last epoch of the launch before: 0 before the first. All threads call it before the first `arrive`. So the devices
// count, and not the host: a graph may replay a launch. Launches on the same flags have the same grid, and on every device as
// many epochs.
__device__ inline unsigned first_epoch(const Flags& flags, int device) {
    return flags.of[device][blockIdx.x * MOST + device] + 1;
}

// Tells block blockIdx.x of every device that this device's block has come to `epoch`. A block that sees the flag also
// sees what this block wrote before.
template <int DEVICES> __device__ void arrive(const Flags& flags, int device, unsigned epoch) {
    __syncthreads();
    if (threadIdx.x < DEVICES) {
        unsigned* flag = flags.of[threadIdx.x] + blockIdx.x * MOST + device;
        asm volatile(STORE_FLAG " [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
    }
}

// Waits until block blockIdx.x of every device has come to `epoch`, or to a later one. Epochs grow from launch to
// launch, so the flags are never reset.
template <int DEVICES> __device__ void wait(const Flags& flags, int device, unsigned epoch) {
    if (threadIdx.x < DEVICES) {
        const unsigned* flag = flags.of[device] + blockIdx.x * MOST + threadIdx.x;
        unsigned seen;
        do {
            asm volatile(LOAD_FLAG " %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        } while (int(seen - epoch) < 0);
    }
    __syncthreads();
}
// ANCHOR_END: barrier
