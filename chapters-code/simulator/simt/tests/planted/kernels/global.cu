// Races in global memory, between blocks and within one.
#include "planted.cuh"

// Bins in global memory, incremented with a read and a write.
KERNEL(global_bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (OK) {
        atomicAdd(&scratch[in[i] & 15], 1);
    } else {
        scratch[in[i] & 15]++;
    }
}

// Every block adds its sum to the total.
KERNEL(total_of_blocks) {
    int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(FULL, sum, by);
    if (threadIdx.x != 0) return;
    if (OK) {
        atomicAdd(out, sum);
    } else {
        *out += sum;
    }
}

// Blocks read what the next one has written, as if they ran in order.
KERNEL(next_block) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    scratch[i] = 2 * in[i];
    int other = (i + blockDim.x) % n;
    out[i] = scratch[i] + (OK ? 2 * in[other] : scratch[other]);
}

// Every block raises a flag with a plain store. That they all store the same is no excuse: with an
// atomic it is the same work, and defined.
KERNEL(plain_flags) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] < 30) return;
    if (OK) {
        atomicExch(out, 1);
    } else {
        *out = 1;
    }
}

// The first block clears the counters. It does so before it adds, but the others may have added.
KERNEL(counters_cleared_by_first) {
    unsigned tid = threadIdx.x;
    if (!OK && blockIdx.x == 0) out[tid] = 0;
    atomicAdd(&out[tid], in[blockIdx.x * blockDim.x + tid]);
}

// The first block clears a counter that the others look at.
KERNEL(watched_counter_cleared) {
    if (blockIdx.x == 0) {
        if (!OK) scratch[threadIdx.x] = 0;
        atomicAdd(&scratch[threadIdx.x], in[threadIdx.x]);
    } else {
        out[threadIdx.x] = *(volatile int *)(scratch + threadIdx.x);
    }
}

// A rotation in place: everybody must have read before anybody writes.
KERNEL(rotation_in_place) {
    unsigned tid = threadIdx.x;
    int next = scratch[(tid + 1) % blockDim.x];
    if (OK) __syncthreads();
    scratch[tid] = next;
}

// A block that reads its own results by other threads.
KERNEL(own_results) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    scratch[i] = in[i];
    if (OK) __syncthreads();
    out[i] = scratch[i ^ 32];
}

// A row's first element is updated while others of the row still read it.
KERNEL(pivot_row) {
    unsigned tid = threadIdx.x;
    int factor = scratch[0] + 1;
    if (OK) __syncthreads();
    scratch[tid] = in[tid] * factor;
}
