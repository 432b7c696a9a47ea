// Waiting for what cannot come.
#include "planted.cuh"

__device__ bool is_up(int *flag) { return *static_cast<volatile int *>(flag) != 0; }

// A flag that nobody raises.
KERNEL(flag_that_nobody_raises) {
    if (blockIdx.x == 0 && threadIdx.x == 0 && OK) atomicExch(&scratch[0], 1);
    while (!is_up(&scratch[0])) {
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// Two blocks take two locks, each in its own order. Both have one before either asks for the other.
KERNEL(two_locks) {
    if (threadIdx.x != 0) return;
    int first = OK ? 0 : blockIdx.x, second = 1 - first;
    while (atomicCAS(&scratch[first], 0, 1) != 0) {
    }
    if (!OK) {
        atomicAdd(&scratch[2], 1);
        while (atomicAdd(&scratch[2], 0) != 2) {
        }
    }
    while (atomicCAS(&scratch[second], 0, 1) != 0) {
    }
    atomicAdd(out, 1);
    atomicExch(&scratch[second], 0);
    atomicExch(&scratch[first], 0);
}

// One way out of the critical section forgets the lock. Several blocks take it, so that one of them
// waits, whichever comes last.
KERNEL(lock_not_let_go) {
    if (threadIdx.x != 0) return;
    while (atomicExch(&scratch[0], 1) != 0) {
    }
    __threadfence();
    bool early = in[blockIdx.x] < 30;
    if (!early) scratch[1]++;
    __threadfence();
    if (OK || !early) atomicExch(&scratch[0], 0);
}

// The producer raises its flag behind a barrier that the consumer never reaches.
KERNEL(flag_behind_barrier) {
    __shared__ int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        if (!OK) __syncthreads();
        if (threadIdx.x == 0) atomicExch(&ready, 1);
    } else {
        while (!is_up(&ready)) __nanosleep(20);
        if (!OK) __syncthreads();
    }
    out[threadIdx.x] = in[threadIdx.x];
}

// A ticket is drawn twice, so that one number is never called.
KERNEL(ticket_drawn_twice) {
    if (threadIdx.x != 0) return;
    int ticket = atomicAdd(&scratch[0], 1);
    if (!OK && blockIdx.x == 1) ticket = atomicAdd(&scratch[0], 1);
    while (atomicAdd(&scratch[1], 0) != ticket) __nanosleep(20);
    out[ticket] = in[blockIdx.x];
    __threadfence();
    atomicAdd(&scratch[1], 1);
}

// A barrier of all blocks that counts one too many.
KERNEL(grid_barrier) {
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&scratch[0], 1);
        while (static_cast<volatile int *>(scratch)[0] != gridDim.x + (OK ? 0 : 1)) {
        }
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
