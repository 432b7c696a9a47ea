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
