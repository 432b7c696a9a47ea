// Races between the lanes of one warp, which need not run in step. One block of 32 or 64 threads.
#include "planted.cuh"

// The last steps of a tree as they were written before Volta.
KERNEL(warp_tree) {
    __shared__ int s[64];
    unsigned tid = threadIdx.x;
    s[tid] = in[tid];
    __syncthreads();
    if (tid < 32) {
        for (unsigned stride = 32; stride > 0; stride /= 2) {
            int sum = s[tid] + s[tid + stride];
            if (OK) __syncwarp();
            s[tid] = sum;
            if (OK) __syncwarp();
        }
        if (tid == 0) out[0] = s[0];
    }
}

// The same with volatile, which keeps the compiler from moving accesses but orders no lanes.
KERNEL(warp_tree_volatile) {
    __shared__ volatile int s[64];
    unsigned tid = threadIdx.x;
    s[tid] = in[tid];
    __syncthreads();
    if (tid < 16) {
        for (unsigned stride = 16; stride > 0; stride /= 2) {
            int sum = s[tid] + s[tid + stride];
            if (OK) __syncwarp(0xffff);
            s[tid] = sum;
            if (OK) __syncwarp(0xffff);
        }
        if (tid == 0) out[0] = s[0];
    }
}

// Neighbours exchange a value.
KERNEL(warp_exchange) {
    __shared__ int s[32];
    unsigned lane = threadIdx.x;
    s[lane] = in[lane];
    if (OK) __syncwarp();
    out[lane] = s[lane ^ 1];
}

// A __syncwarp of one half of the warp, where one half reads what the other one wrote.
KERNEL(half_a_syncwarp) {
    __shared__ int s[32];
    unsigned lane = threadIdx.x;
    s[lane] = in[lane];
    __syncwarp(OK ? FULL : lane < 16 ? 0x0000ffff : 0xffff0000);
    out[lane] = s[31 - lane];
}

// A shuffle waits for the other lanes, but orders no memory.
KERNEL(shuffle_as_barrier) {
    __shared__ int s[32];
    unsigned lane = threadIdx.x;
    s[lane] = in[lane];
    int count = __shfl_sync(FULL, in[lane], 0);
    if (OK) __syncwarp();
    out[lane] = s[31 - lane] + count;
}

// So does a vote.
KERNEL(vote_as_barrier) {
    __shared__ int s[32];
    unsigned lane = threadIdx.x;
    s[lane] = in[lane];
    unsigned odd = __ballot_sync(FULL, in[lane] & 1);
    if (OK) __syncwarp();
    out[lane] = s[(lane + 5) % 32] + __popc(odd);
}

// All lanes write one word by one instruction: fine if they write the same value.
KERNEL(lanes_write_one_word) {
    __shared__ int winner;
    winner = OK ? n : in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = winner;
}

// One lane draws a place in the queue for all that have something to put there.
KERNEL(place_in_queue) {
    __shared__ int first;
    unsigned lane = threadIdx.x;
    unsigned odd = __ballot_sync(FULL, in[lane] & 1);
    if (lane == 0) first = atomicAdd(&scratch[0], __popc(odd));
    if (OK) __syncwarp();
    if (in[lane] & 1) out[first + __popc(odd & ((1u << lane) - 1))] = in[lane];
}

// What one lane writes to global memory and another one reads.
KERNEL(warp_exchange_global) {
    unsigned lane = threadIdx.x;
    scratch[lane] = in[lane];
    if (OK) __syncwarp();
    out[lane] = scratch[31 - lane];
}

// Lanes that write different bytes of a word do not race; lanes that read all of it do.
KERNEL(bytes_of_a_word) {
    __shared__ unsigned words[8];
    unsigned lane = threadIdx.x;
    reinterpret_cast<unsigned char *>(words)[lane] = in[lane];
    if (OK) __syncwarp();
    if (lane < 8) out[lane] = words[lane];
}
