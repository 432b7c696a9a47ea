// Threads that leave while others wait at a barrier. That is allowed, so it is only a note.
#include "planted.cuh"

// Nothing follows the condition, so the other lanes leave.
KERNEL(barrier_of_even_lanes_at_end) {
    __shared__ int s[64];
    int tid = threadIdx.x;
    s[tid] = in[tid];
    if (OK || tid % 2 == 0) {
        int value = s[tid];
        __syncthreads();
        s[tid ^ 1] = value;
        out[tid ^ 1] = s[tid ^ 1];
    }
}

// The first warp leaves; the last one may.
KERNEL(barrier_of_second_warp_at_end) {
    __shared__ int s[64];
    int tid = threadIdx.x;
    if (OK ? tid < 32 : tid >= 32) {
        s[tid] = in[tid];
        __syncthreads();
        out[tid] = s[tid ^ 1];
    }
}

// One thread has nothing to do.
KERNEL(thread_zero_returns) {
    __shared__ int s[64];
    int tid = threadIdx.x;
    if (tid == (OK ? n - 1 : 0)) return;
    s[tid] = in[tid];
    __syncthreads();
    out[tid] = s[tid];
}
