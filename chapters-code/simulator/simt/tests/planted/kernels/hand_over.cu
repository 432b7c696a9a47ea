// ptx: compute_90
// One thread writes a flag for others, or reads it for others: they must have met, before the flag is
// written or after it is read. All fences are there.
#include "planted.cuh"
#include "mbarrier.cuh"

__device__ int look(int *flag) { return *static_cast<volatile int *>(flag); }

__device__ void raise(int *flag, int value) { *static_cast<volatile int *>(flag) = value; }

__device__ void wait_for(int *flag, int value) {
    while (look(flag) != value) {
    }
}

__device__ void release(int *flag, int value) {
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

__device__ void acquire(int *flag, int value) {
    int seen;
    do {
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    } while (seen != value);
}

__device__ void named_barrier(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Waits with all threads until it is this block's turn.
__device__ void take_turn(int *turn) {
    if (threadIdx.x == 0) {
        while (atomicAdd(turn, 0) != blockIdx.x) {
        }
        __threadfence();
    }
    __syncthreads();
}

// Blocks add to the same words in turn. The first thread ends the turn before the others have added.
KERNEL(turn_ended_early) {
    unsigned tid = threadIdx.x;
    take_turn(&scratch[0]);
    out[tid ^ 32] += in[tid];
    __threadfence();
    if (OK) __syncthreads();
    if (tid == 0) atomicExch(&scratch[0], blockIdx.x + 1);
}

// Only the first thread fences, and does so before it meets the others.
KERNEL(fence_before_barrier) {
    unsigned tid = threadIdx.x;
    take_turn(&scratch[0]);
    out[tid ^ 32] += in[tid];
    if (!OK && tid == 0) __threadfence();
    __syncthreads();
    if (tid == 0) {
        if (OK) __threadfence();
        atomicExch(&scratch[0], blockIdx.x + 1);
    }
}

// The last block adds what the threads of all blocks have written, and counts blocks by a release of one thread.
KERNEL(counted_early) {
    __shared__ bool last;
    unsigned tid = threadIdx.x;
    scratch[64 + blockIdx.x * blockDim.x + tid] = in[tid];
    if (OK) __syncthreads();
    if (tid == 0) {
        int before;
        asm volatile("atom.add.acq_rel.gpu.global.s32 %0, [%1], 1;"
                     : "=r"(before) : "l"(scratch) : "memory");
        last = before == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int block = 0; block < gridDim.x; block++) sum += scratch[64 + block * blockDim.x + tid];
        out[tid] = sum;
    }
}

// A warp writes, each lane fences, and the first lane releases.
KERNEL(lanes_not_met) {
    unsigned tid = threadIdx.x;
    if (blockIdx.x == 0) {
        scratch[64 + tid] = in[tid];
        __threadfence();
        if (OK) __syncwarp();
        if (tid == 0) raise(&scratch[0], 1);
    } else {
        wait_for(&scratch[0], 1);
        __threadfence();
        out[tid] = scratch[64 + (31 - tid)];
    }
}

// The same with a release by a reduction.
KERNEL(lanes_not_met_by_red) {
    unsigned tid = threadIdx.x;
    if (blockIdx.x == 0) {
        scratch[64 + tid] = in[tid];
        if (OK) __syncwarp();
        if (tid == 0) {
            asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(scratch) : "memory");
        }
    } else {
        acquire(&scratch[0], 1);
        out[tid] = scratch[64 + (31 - tid)];
    }
}

// The mask of the __syncwarp lacks the lane that releases.
KERNEL(releasing_lane_not_named) {
    unsigned tid = threadIdx.x;
    if (blockIdx.x == 0) {
        scratch[64 + tid] = in[tid];
        if (OK) __syncwarp();
        else if (tid > 0) __syncwarp(0xfffffffe);
        if (tid == 0) release(&scratch[0], 1);
    } else {
        acquire(&scratch[0], 1);
        out[tid] = scratch[64 + (31 - tid)];
    }
}

// Lane 1 writes the data, and lane 0 fences and raises the flag without having met it.
KERNEL(lane_fences_for_another) {
    unsigned tid = threadIdx.x;
    if (blockIdx.x == 0) {
        if (tid == 1) scratch[1] = in[0];
        if (OK) __syncwarp();
        if (tid == 0) {
            __threadfence();
            raise(&scratch[0], 1);
        }
    } else if (tid == 0) {
        wait_for(&scratch[0], 1);
        __threadfence();
        out[0] = scratch[1];
    }
}

// One warp writes the data and fences, and another one that has not met it raises the flag.
KERNEL(another_warp_raises_flag) {
    unsigned tid = threadIdx.x;
    if (blockIdx.x == 0) {
        if (tid == 0) {
            scratch[1] = in[0];
            __threadfence();
        }
        if (OK) __syncthreads();
        if (tid == 32) raise(&scratch[0], 1);
    } else if (tid == 0) {
        wait_for(&scratch[0], 1);
        __threadfence();
        out[0] = scratch[1];
    }
}

// The first lane reads the flag for its warp.
KERNEL(flag_read_for_lanes) {
    unsigned tid = threadIdx.x;
    if (blockIdx.x == 0) {
        scratch[64 + tid] = in[tid];
        __syncwarp();
        if (tid == 0) release(&scratch[0], 1);
    } else {
        if (tid == 0) acquire(&scratch[0], 1);
        if (OK) __syncwarp();
        out[tid] = scratch[64 + tid];
    }
}

// The same, where a shuffle gives the others what the first lane has read.
KERNEL(flag_passed_on_by_shuffle) {
    unsigned tid = threadIdx.x;
    if (blockIdx.x == 0) {
        scratch[64 + tid] = in[tid];
        __syncwarp();
        if (tid == 0) release(&scratch[0], 7);
    } else {
        int value = 0;
        if (tid == 0) {
            acquire(&scratch[0], 7);
            value = 7;
        }
        value = __shfl_sync(FULL, value, 0);
        if (OK) __syncwarp();
        out[tid] = value + scratch[64 + tid];
    }
}

// One warp reads the flag for the block. Three warps meet at a named barrier, and the fourth does not.
KERNEL(flag_read_for_named_barrier) {
    unsigned tid = threadIdx.x;
    if (blockIdx.x == 0) {
        scratch[64 + tid] = in[tid];
        __syncthreads();
        if (tid == 0) release(&scratch[0], 1);
    } else {
        if (tid == 0) acquire(&scratch[0], 1);
        if (OK || tid < 96) named_barrier(1, OK ? 128 : 96);
        out[tid] = scratch[64 + tid];
    }
}

// Two warps of four meet at a named barrier before the first thread releases.
KERNEL(named_barrier_for_too_few) {
    unsigned tid = threadIdx.x;
    if (blockIdx.x == 0) {
        scratch[64 + tid] = in[tid];
        if (OK || tid < 64) named_barrier(1, OK ? 128 : 64);
        if (tid == 0) release(&scratch[0], 1);
    } else {
        if (tid == 0) acquire(&scratch[0], 1);
        __syncthreads();
        out[tid] = scratch[64 + tid];
    }
}

// All threads arrive at an mbarrier, and the one that releases does not wait there.
KERNEL(released_before_phase) {
    __shared__ u64 m;
    unsigned tid = threadIdx.x;
    if (tid == 0) init(&m, 64);
    __syncthreads();
    if (blockIdx.x == 0) {
        scratch[64 + tid] = in[tid];
        arrive(&m);
        if (tid == 0) {
            if (OK) wait(&m, 0);
            release(&scratch[0], 1);
        }
        wait(&m, 0);
    } else {
        if (tid == 0) acquire(&scratch[0], 1);
        __syncthreads();
        out[tid] = scratch[64 + tid];
    }
}

// A flag in shared memory, which the first lane raises before it has met the others.
KERNEL(shared_flag_raised_early) {
    __shared__ int data[32], ready;
    unsigned tid = threadIdx.x;
    if (tid == 0) ready = 0;
    __syncthreads();
    if (tid < 32) {
        data[tid] = in[tid];
        __threadfence_block();
        if (OK) __syncwarp();
        if (tid == 0) raise(&ready, 1);
    } else {
        wait_for(&ready, 1);
        __threadfence_block();
        out[tid] = data[63 - tid];
    }
}

// A flag in shared memory, which one lane of the consumer reads.
KERNEL(shared_flag_read_for_lanes) {
    __shared__ int data[32], ready;
    unsigned tid = threadIdx.x;
    if (tid == 0) ready = 0;
    __syncthreads();
    if (tid < 32) {
        data[tid] = in[tid];
        __syncwarp();
        if (tid == 0) {
            __threadfence_block();
            raise(&ready, 1);
        }
    } else {
        if (tid == 32) {
            wait_for(&ready, 1);
            __threadfence_block();
        }
        if (OK) __syncwarp();
        out[tid] = data[63 - tid];
    }
}

// Threads of a block write into the shared memory of another one of the cluster, and one raises a flag there.
template <bool OK> __device__ void cluster_flag(const int *in, int *out) {
    __shared__ int data[64], ready;
    unsigned tid = threadIdx.x;
    if (tid == 0) ready = 0;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (blockIdx.x % 2 == 0) {
        unsigned to, flag;
        asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(to) : "r"(shared(&data[tid])));
        asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(flag) : "r"(shared(&ready)));
        asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(to), "r"(in[tid]) : "memory");
        if (OK) __syncthreads();
        if (tid == 0) {
            asm volatile("st.release.cluster.shared::cluster.s32 [%0], 1;" ::"r"(flag) : "memory");
        }
    } else {
        int seen;
        do {
            asm volatile("ld.acquire.cluster.shared.s32 %0, [%1];"
                         : "=r"(seen) : "r"(shared(&ready)) : "memory");
        } while (!seen);
        out[tid] = data[63 - tid];
    }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_flag_raised_early(ARGUMENTS) {
    cluster_flag<false>(in, out);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_flag_raised_early_ok(ARGUMENTS) {
    cluster_flag<true>(in, out);
}

// All blocks meet at a barrier made by hand, before which the threads of a block do not meet.
KERNEL(grid_barrier_for_one) {
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    scratch[64 + i] = in[i];
    if (OK) __syncthreads();
    if (tid == 0) {
        __threadfence();
        atomicAdd(&scratch[0], 1);
        while (look(&scratch[0]) != gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    out[i] = scratch[64 + n - 1 - i];
}
