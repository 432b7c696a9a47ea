// What orders threads through flags: a fence between the data and the flag, and a flag that is
// written and read as one.
#include "planted.cuh"

__device__ void wait_for(int *flag, int value) {
    while (*static_cast<volatile int *>(flag) != value) {
    }
}

__device__ void raise(int *flag, int value) { *static_cast<volatile int *>(flag) = value; }

// The last block adds the partial sums of all. Nothing has published them.
KERNEL(last_block_unfenced) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        scratch[1 + blockIdx.x] = in[blockIdx.x];
        if (OK) __threadfence();
        last = atomicAdd(&scratch[0], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x != 0) return;
    int sum = 0;
    for (int block = 0; block < gridDim.x; block++) {
        sum += static_cast<volatile int *>(scratch)[1 + block];
    }
    out[0] = sum;
}

// The same, with a fence that orders the threads of a block only.
KERNEL(last_block_fenced_in_block) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        scratch[1 + blockIdx.x] = in[blockIdx.x];
        if (OK) __threadfence();
        else __threadfence_block();
        last = atomicAdd(&scratch[0], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) out[threadIdx.x] = scratch[1 + threadIdx.x % gridDim.x];
}

// The same, with the fence of one thread where every thread has written.
KERNEL(last_block_fenced_by_one) {
    __shared__ bool last;
    scratch[1 + blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    if (OK) {
        __threadfence();
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&scratch[0], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) out[threadIdx.x] = scratch[1 + threadIdx.x * gridDim.x];
}

// A scan's tile waits for the one before it. The sum is published after its flag.
KERNEL(look_back_unfenced) {
    if (threadIdx.x != 0) return;
    int tile = blockIdx.x;
    int before = 0;
    if (tile > 0) {
        wait_for(&scratch[tile - 1], 1);
        __threadfence();
        before = out[tile - 1];
    }
    out[tile] = before + in[tile];
    if (OK) __threadfence();
    raise(&scratch[tile], 1);
}

// The fence comes after the flag.
KERNEL(look_back_fenced_late) {
    if (threadIdx.x != 0) return;
    int tile = blockIdx.x;
    int before = 0;
    if (tile > 0) {
        wait_for(&scratch[tile - 1], 1);
        __threadfence();
        before = out[tile - 1];
    }
    out[tile] = before + in[tile];
    if (OK) __threadfence();
    raise(&scratch[tile], 1);
    __threadfence();
}

// One thread of the block waits for the flag; the others do not wait for that thread.
KERNEL(look_back_by_one) {
    unsigned tid = threadIdx.x;
    int tile = blockIdx.x;
    if (tile > 0) {
        if (tid == 0) {
            wait_for(&scratch[tile - 1], 1);
            __threadfence();
        }
        if (OK) __syncthreads();
        if (tid == 32) out[tile] = out[tile - 1] + in[tile];
    } else if (tid == 32) {
        out[0] = in[0];
    }
    __threadfence();
    __syncthreads();
    if (tid == 0) raise(&scratch[tile], 1);
}

// A flag that is looked at with a plain load: the compiler may read it once, and it races.
KERNEL(plain_look_at_flag) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        out[1] = in[1];
        __threadfence();
        raise(&scratch[0], 1);
    } else {
        int up = 0;
        if (OK) up = *static_cast<volatile int *>(scratch);
        else up = *scratch;
        __threadfence();
        if (up) out[2] = out[1];
    }
}

// A lock that is let go of before what it guards is published.
KERNEL(lock_unfenced) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&scratch[0], 0, 1) != 0) {
    }
    if (OK) __threadfence();
    scratch[1] += in[blockIdx.x];
    if (OK) __threadfence();
    atomicExch(&scratch[0], 0);
}

// What a lock guards is touched once more after it was let go.
KERNEL(lock_let_go_early) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&scratch[0], 0, 1) != 0) {
    }
    __threadfence();
    if (OK) scratch[1] += in[blockIdx.x];
    __threadfence();
    atomicExch(&scratch[0], 0);
    if (!OK) scratch[1] += in[blockIdx.x];
}

// Each lane of a warp takes a lock in shared memory in turn.
KERNEL(lock_of_lanes) {
    __shared__ int lock, total;
    if (threadIdx.x == 0) lock = total = 0;
    __syncthreads();
    for (bool done = false; !done;) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            if (OK) __threadfence_block();
            total += in[threadIdx.x];
            if (OK) __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = total;
}

// One warp produces, another one consumes, and a flag in shared memory orders them.
KERNEL(shared_flag_unfenced) {
    __shared__ int data[32];
    __shared__ int ready;
    unsigned tid = threadIdx.x;
    if (tid == 0) ready = 0;
    __syncthreads();
    if (tid < 32) {
        data[tid] = in[tid];
        __syncwarp();
        if (tid == 0) {
            if (OK) __threadfence_block();
            raise(&ready, 1);
        }
    } else {
        wait_for(&ready, 1);
        __threadfence_block();
        out[tid] = data[63 - tid];
    }
}

// The consumer gives the buffer back before it has read it.
KERNEL(buffer_given_back_early) {
    __shared__ int data, full;
    if (threadIdx.x == 0) full = 0;
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0) {
            wait_for(&full, 0);
            __threadfence_block();
            data = in[i];
            __threadfence_block();
            raise(&full, 1);
        } else if (threadIdx.x == 32) {
            wait_for(&full, 1);
            __threadfence_block();
            int value = OK ? *static_cast<volatile int *>(&data) : 0;
            __threadfence_block();
            raise(&full, 0);
            if (!OK) value = data;
            out[i] = value;
        }
    }
}

// Blocks count together with an atomic that is one for the threads of a block only. Without the bug
// each block counts on its own in this way, and adds to the total with an atomic of the device.
KERNEL(counter_at_block_scope) {
    if (!OK) {
        atomicAdd_block(&scratch[0], in[threadIdx.x]);
        return;
    }
    atomicAdd_block(&scratch[1 + blockIdx.x], in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&scratch[0], scratch[1 + blockIdx.x]);
}

// The last block is found by an atomic that releases and acquires for its own block only.
KERNEL(last_block_at_block_scope) {
    if (threadIdx.x != 0) return;
    scratch[1 + blockIdx.x] = in[blockIdx.x];
    int before;
    if (OK) {
        asm volatile("atom.add.acq_rel.gpu.global.s32 %0, [%1], 1;"
                     : "=r"(before) : "l"(scratch) : "memory");
    } else {
        asm volatile("atom.add.acq_rel.cta.global.s32 %0, [%1], 1;"
                     : "=r"(before) : "l"(scratch) : "memory");
    }
    if (before == gridDim.x - 1) out[0] = scratch[1];
}

// A flag is released to the threads of a block, and another block acquires it.
KERNEL(released_at_block_scope) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        out[0] = in[0];
        if (OK) {
            asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(scratch) : "memory");
        } else {
            asm volatile("st.release.cta.global.s32 [%0], 1;" ::"l"(scratch) : "memory");
        }
    } else {
        int up;
        do {
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(up) : "l"(scratch) : "memory");
        } while (!up);
        out[1] = out[0];
    }
}

// A flag is released to the device, and acquired at the scope of a block. Without the bug so does a
// block by itself, through device memory.
KERNEL(acquired_at_block_scope) {
    unsigned tid = threadIdx.x;
    int *flag = OK ? scratch + 2 * blockIdx.x : scratch, *data = flag + 1;
    bool writes = OK ? tid == 0 : blockIdx.x == 0 && tid == 0;
    bool reads = OK ? tid == 32 : blockIdx.x == 1 && tid == 32;
    if (writes) {
        *data = in[0];
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else if (reads) {
        int up;
        do {
            asm volatile("ld.acquire.cta.global.s32 %0, [%1];" : "=r"(up) : "l"(flag) : "memory");
        } while (!up);
        out[blockIdx.x] = *data;
    }
}
