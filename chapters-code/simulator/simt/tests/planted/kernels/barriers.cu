// Barriers that not everybody reaches, and warp-wide operations that not everybody takes part in.
#include "planted.cuh"

__device__ void barrier(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Half a warp goes through the branch with the barrier.
KERNEL(barrier_for_half_a_warp) {
    unsigned tid = threadIdx.x;
    if (OK || tid < 16) __syncthreads();
    out[tid] = in[tid];
}

// Half a block does.
KERNEL(barrier_for_half_a_block) {
    unsigned tid = threadIdx.x;
    if (OK || tid < 32) __syncthreads();
    out[tid] = in[tid];
}

// Half of every warp goes through the branch with the barrier.
KERNEL(barrier_for_half_of_each_warp) {
    unsigned tid = threadIdx.x;
    if (OK || tid % 32 < 16) __syncthreads();
    out[tid] = in[tid];
}

// Each side of a branch has a barrier of its own, and the warps take different sides.
KERNEL(barrier_on_either_side) {
    __shared__ int s[64];
    unsigned tid = threadIdx.x;
    if (OK ? n < 32 : tid < 32) {
        s[tid] = in[tid];
        __syncthreads();
    } else {
        s[tid] = 2 * in[tid];
        __syncthreads();
    }
    out[tid] = s[63 - tid];
}

// The second warp goes round a loop with a barrier once more than the first.
KERNEL(barrier_trips_differ) {
    unsigned tid = threadIdx.x;
    unsigned trips = OK ? 3 : 2 + tid / 32;
    for (unsigned i = 0; i < trips; i++) {
        scratch[64 * i + tid] = in[tid];
        __syncthreads();
    }
    out[tid] = scratch[tid];
}

// The same, with another barrier behind the loop.
KERNEL(barrier_trips_differ_before_barrier) {
    unsigned tid = threadIdx.x;
    unsigned trips = OK ? 3 : 2 + tid / 32;
    for (unsigned i = 0; i < trips; i++) {
        scratch[64 * i + tid] = in[tid];
        __syncthreads();
    }
    out[tid] = scratch[tid];
    __syncthreads();
    out[tid] += scratch[63 - tid];
}

// The same, with nothing behind the loop.
KERNEL(barrier_trips_differ_at_end) {
    unsigned tid = threadIdx.x;
    unsigned trips = OK ? 3 : 2 + tid / 32;
    for (unsigned i = 0; i < trips; i++) {
        out[tid] = in[tid] + i;
        __syncthreads();
    }
}

// Half of every warp goes round a barrier with nothing behind it. Without the bug that half returns.
KERNEL(barrier_skipped_at_end) {
    unsigned tid = threadIdx.x;
    out[tid] = in[tid];
    if (OK) {
        if (tid % 32 >= 16) return;
        scratch[tid] = in[tid];
        __syncthreads();
        out[tid] += scratch[tid ^ 1];
    } else {
        if (tid % 32 < 16) __syncthreads();
    }
}

// Some threads go round once more than others. n is no multiple of the block.
KERNEL(barrier_in_ragged_loop) {
    __shared__ int s[64];
    unsigned tid = threadIdx.x;
    int sum = 0;
    int rounded = OK ? (n + 63) / 64 * 64 : n;
    for (int i = tid; i < rounded; i += 64) {
        s[tid] = i < n ? in[i] : 0;
        __syncthreads();
        sum += s[63 - tid];
        __syncthreads();
    }
    out[tid] = sum;
}

// The two sides of a branch pass a different number of barriers.
KERNEL(one_barrier_more) {
    unsigned tid = threadIdx.x;
    if (OK) __syncthreads();
    if (tid < 32) {
        if (!OK) __syncthreads();
        scratch[0] = in[0];
        if (!OK) __syncthreads();
    } else {
        if (!OK) __syncthreads();
    }
    out[tid] = in[tid];
}

// The lanes of one warp wait at two barriers with the same number.
KERNEL(two_barriers_for_a_warp) {
    unsigned tid = threadIdx.x;
    if (OK) __syncthreads();
    if (tid % 2) {
        scratch[tid] = in[tid];
        if (!OK) __syncthreads();
    } else {
        scratch[tid] = 2 * in[tid];
        if (!OK) __syncthreads();
    }
    out[tid] = scratch[tid];
}

// A named barrier that waits for more threads than come.
KERNEL(named_barrier_for_more) {
    unsigned tid = threadIdx.x;
    if (tid < 64) {
        barrier(1, OK ? 64 : 96);
        out[tid] = in[tid];
    }
}

// A named barrier for a number of threads that is no multiple of a warp.
KERNEL(named_barrier_for_some_lanes) {
    unsigned tid = threadIdx.x;
    if (tid < 64) barrier(1, OK ? 64 : 40);
    out[tid] = in[tid];
}

// Two warps that name different numbers of threads at one barrier.
KERNEL(named_barrier_disagreed) {
    unsigned tid = threadIdx.x;
    if (tid < 64) barrier(1, OK || tid < 32 ? 64 : 32);
    out[tid] = in[tid];
}

// A shuffle of the whole warp in a branch that half of it takes.
KERNEL(shuffle_in_branch) {
    unsigned lane = threadIdx.x;
    int value = in[lane];
    if (lane < 16) {
        for (int by = 8; by > 0; by /= 2) value += __shfl_down_sync(OK ? 0xffff : FULL, value, by, 16);
    }
    __syncthreads();
    out[lane] = value;
}

// The two sides of a branch are at different shuffles, each for the whole warp.
KERNEL(two_shuffles) {
    unsigned lane = threadIdx.x;
    int value = in[lane];
    if (lane < 16) {
        value += __shfl_xor_sync(OK ? 0x0000ffff : FULL, value, 1);
    } else {
        value -= __shfl_xor_sync(OK ? 0xffff0000 : FULL, value, 2);
    }
    out[lane] = value;
}

// A lane reads from one that takes no part.
KERNEL(shuffle_from_absent_lane) {
    unsigned lane = threadIdx.x;
    int value = in[lane];
    if (lane < 16) value += __shfl_down_sync(0xffff, value, 8, OK ? 16 : 32);
    out[lane] = value;
}

// The lanes beyond n have left when the others shuffle. n = 52.
KERNEL(shuffle_after_return) {
    int i = threadIdx.x;
    if (!OK && i >= n) return;
    int value = i < n ? in[i] : 0;
    for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(FULL, value, by);
    if (i % 32 == 0) out[i / 32] = value;
}

// A ballot of the whole warp in a loop that some lanes leave earlier. n = 100.
KERNEL(ballot_in_ragged_loop) {
    int lane = threadIdx.x, odd = 0;
    int rounded = OK ? (n + 31) / 32 * 32 : n;
    for (int i = lane; i < rounded; i += 32) {
        odd += __popc(__ballot_sync(FULL, i < n && (in[i] & 1)));
    }
    __syncwarp();
    out[lane] = odd;
}

// A lane calls a shuffle without naming itself.
KERNEL(own_lane_missing) {
    unsigned lane = threadIdx.x;
    out[lane] = __shfl_sync(OK ? FULL : FULL - 1, in[lane], 3);
}

// Each lane names only some of those that are there.
KERNEL(lanes_disagree) {
    unsigned lane = threadIdx.x;
    unsigned mask = OK ? FULL : lane < 8 ? 0xff : FULL;
    out[lane] = __shfl_sync(mask, in[lane], 0);
}

// __syncwarp for the whole warp by half of it, while the other half waits at the barrier.
KERNEL(syncwarp_in_branch) {
    unsigned lane = threadIdx.x;
    if (lane < 16) {
        scratch[lane] = in[lane];
        __syncwarp(OK ? 0xffff : FULL);
        out[lane] = scratch[lane ^ 1];
    }
    __syncthreads();
}

// __syncwarp for the whole warp by half of it, which the other half passes by.
KERNEL(syncwarp_passed_by) {
    unsigned lane = threadIdx.x;
    if (lane < 16) {
        scratch[lane] = in[lane];
        __syncwarp(OK ? 0xffff : FULL);
        out[lane] = scratch[lane ^ 1];
    }
    out[lane + 32] = in[lane];
}

// The other half comes to a later __syncwarp instead.
KERNEL(syncwarp_for_another) {
    unsigned lane = threadIdx.x;
    if (lane < 16) {
        scratch[lane] = in[lane];
        __syncwarp(OK ? 0xffff : FULL);
        out[lane] = scratch[lane ^ 1];
    }
    __syncwarp();
    out[lane + 32] = in[lane];
}
