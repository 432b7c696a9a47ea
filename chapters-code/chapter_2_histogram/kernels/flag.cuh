// Zeroing the output in the kernel that adds to it: the block that comes first zeroes it and raises
// a flag, and no block adds before it has seen the flag.
#pragma once
#include "histogram.cuh"

// ANCHOR: flag
// Stays in device memory from launch to launch; zero before the first. Every launch on it has the
// same number of blocks, and ends before the next begins. After one that was stopped, zero it again.
struct State {
    u64 tickets; // drawn so far, one a block
    u64 zeroed;  // launches whose output has been zeroed
};

struct Flag {
    State* state;
    u32* out;
    u32 total;
    u64 launch; // this one, counted from 1

    // Called by all threads of all blocks. The block that draws a launch's first ticket zeroes the output.
    __device__ void begin() {
        __shared__ u64 ticket;
        if (threadIdx.x == 0) {
            ticket = atomicAdd(&state->tickets, 1ull);
        }
        __syncthreads();
        launch = ticket / gridDim.x + 1;
        if (ticket % gridDim.x == 0) {
            for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
                out[c] = 0;
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(
                                 __cvta_generic_to_global(&state->zeroed)),
                             "l"(launch)
                             : "memory");
            }
        }
    }

    // Returns when the output is zero. It hardly ever waits: the first block zeroes before it counts,
    // and all others ask after they have counted.
    __device__ void wait() const {
        if (threadIdx.x == 0) {
            u64 zeroed;
            do {
                asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
                             : "=l"(zeroed)
                             : "l"(__cvta_generic_to_global(&state->zeroed))
                             : "memory");
            } while (zeroed < launch);
        }
        __syncthreads();
    }

    __device__ void end() const {}
};
// ANCHOR_END: flag
