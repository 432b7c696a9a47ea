// ptx: compute_90
// mbarrier objects used wrongly, and bulk copies out of shared memory.
#include "planted.cuh"
#include "mbarrier.cuh"

const int STAGE = 64, BYTES = STAGE * sizeof(int);

// Others arrive before it is sure that the barrier is initialised.
KERNEL(init_without_barrier) {
    __shared__ int s[64];
    __shared__ u64 m;
    int tid = threadIdx.x;
    if (tid == 0) init(&m, 64);
    if (OK) __syncthreads();
    s[tid] = in[tid];
    arrive(&m);
    wait(&m, 0);
    out[tid] = s[63 - tid];
}

// A copy counts on a barrier that it need not see initialised.
KERNEL(init_not_fenced) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 m;
    int tid = threadIdx.x;
    if (tid == 0) {
        init(&m, 1);
        if (OK) init_done();
    }
    __syncthreads();
    if (tid == 0) {
        arrive_and_expect(&m, BYTES);
        load(s, in, BYTES, &m);
    }
    wait(&m, 0);
    out[tid] = s[tid];
}

// A barrier is initialised anew for each round, although it goes on by itself.
KERNEL(initialised_every_round) {
    __shared__ int s[64];
    __shared__ u64 m;
    int tid = threadIdx.x, sum = 0;
    for (int round = 0; round < 3; round++) {
        if (tid == 0) init(&m, 64);
        __syncthreads();
        s[tid] = in[tid] + round;
        arrive(&m);
        wait(&m, 0);
        sum += s[63 - tid];
        __syncthreads();
        if (OK && tid == 0) invalidate(&m);
    }
    out[tid] = sum;
}

// The buffer of the second half lies over the barrier of the first, which is used once more.
KERNEL(buffer_over_barrier) {
    __shared__ union {
        u64 m;
        int s[64];
    } both;
    __shared__ u64 other;
    int tid = threadIdx.x;
    u64 *m = OK ? &other : &both.m;
    if (tid == 0) init(m, 64);
    __syncthreads();
    arrive(m);
    wait(m, 0);
    __syncthreads();
    both.s[tid] = in[tid];
    __syncthreads();
    arrive(m);
    wait(m, 1);
    out[tid] = both.s[63 - tid];
}

// Uses a barrier that has been given up.
KERNEL(barrier_given_up) {
    __shared__ u64 m;
    int tid = threadIdx.x;
    if (tid == 0) init(&m, 64);
    __syncthreads();
    arrive(&m);
    wait(&m, 0);
    __syncthreads();
    if (tid == 0) {
        invalidate(&m);
        if (OK) init(&m, 64);
    }
    __syncthreads();
    arrive(&m);
    wait(&m, OK ? 0 : 1);
    out[tid] = in[tid];
}

// One thread arrives for more than take part.
KERNEL(arrives_for_too_many) {
    __shared__ u64 m;
    int tid = threadIdx.x;
    if (tid == 0) init(&m, 2);
    __syncthreads();
    if (tid % 32 == 0) arrive_for(&m, OK ? 1 : 3);
    wait(&m, 0);
    out[tid] = in[tid];
}

// A copy writes out what was stored, which it need not see.
KERNEL(result_not_fenced) {
    __shared__ alignas(128) int s[STAGE];
    int tid = threadIdx.x;
    s[tid] = in[63 - tid];
    if (OK) fence_proxy_async();
    __syncthreads();
    if (tid == 0) {
        store(out, s, BYTES);
        wait_read<0>();
    }
}

// The fence comes before the writes.
KERNEL(result_fenced_early) {
    __shared__ alignas(128) int s[STAGE];
    int tid = threadIdx.x;
    if (!OK) fence_proxy_async();
    s[tid] = in[63 - tid];
    __syncthreads();
    if (tid == 0) {
        if (OK) fence_proxy_async();
        store(out, s, BYTES);
        wait_read<0>();
    }
}

// The copy starts before all threads have written.
KERNEL(result_stored_early) {
    __shared__ alignas(128) int s[STAGE];
    int tid = threadIdx.x;
    s[tid] = in[63 - tid];
    fence_proxy_async();
    if (OK) __syncthreads();
    if (tid == 0) {
        store(out, s, BYTES);
        wait_read<0>();
    }
}

// The buffer is written to while a copy still reads it.
KERNEL(buffer_written_while_copied) {
    __shared__ alignas(128) int s[STAGE];
    int tid = threadIdx.x;
    for (int round = 0; round < 2; round++) {
        s[tid] = in[round * STAGE + tid];
        fence_proxy_async();
        __syncthreads();
        if (tid == 0) {
            store(out + round * STAGE, s, BYTES);
            if (OK || round == 1) wait_read<0>();
        }
        __syncthreads();
    }
}

// The older of two buffers is waited for, and the younger one written to.
KERNEL(younger_buffer_written) {
    __shared__ alignas(128) int s[2][STAGE];
    int tid = threadIdx.x;
    for (int round = 0; round < 2; round++) {
        s[round][tid] = in[round * STAGE + tid];
        fence_proxy_async();
        __syncthreads();
        if (tid == 0) store(out + round * STAGE, s[round], BYTES);
    }
    if (tid == 0) wait_read<1>();
    __syncthreads();
    s[OK ? 0 : 1][tid] = 0;
    if (tid == 0) wait_read<0>();
}

// Reads what a copy writes when it has only read its source.
KERNEL(result_read_when_source_is) {
    __shared__ alignas(128) int s[STAGE];
    int tid = threadIdx.x;
    s[tid] = in[63 - tid];
    fence_proxy_async();
    __syncthreads();
    if (tid == 0) {
        store(scratch, s, BYTES);
        if (OK) wait_written<0>();
        else wait_read<0>();
        out[0] = scratch[0];
    }
}

// The block ends while a copy reads its memory.
KERNEL(exit_while_copied) {
    __shared__ alignas(128) int s[STAGE];
    int tid = threadIdx.x;
    s[tid] = in[63 - tid];
    fence_proxy_async();
    __syncthreads();
    if (tid == 0) {
        store(out, s, BYTES);
        if (OK) wait_read<0>();
    }
}

// A copy from an address that is no multiple of 16.
KERNEL(misaligned_copy) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 m;
    int tid = threadIdx.x;
    if (tid == 0) {
        init(&m, 1);
        init_done();
        arrive_and_expect(&m, BYTES);
        load(s, in + (OK ? 4 : 1), BYTES, &m);
    }
    __syncthreads();
    wait(&m, 0);
    out[tid] = s[tid];
}

// A copy of the whole rest, however little that is.
KERNEL(copy_past_end) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 m;
    int tid = threadIdx.x;
    int rest = OK ? (n - 96) * sizeof(int) : BYTES;
    if (tid == 0) {
        init(&m, 1);
        init_done();
        arrive_and_expect(&m, rest);
        load(s, in + 96, rest, &m);
    }
    __syncthreads();
    wait(&m, 0);
    if (96 + tid < n) out[tid] = s[tid];
}

// A copy of 100 bytes.
KERNEL(copy_of_odd_size) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 m;
    int tid = threadIdx.x, bytes = OK ? 112 : 100;
    if (tid == 0) {
        init(&m, 1);
        init_done();
        arrive_and_expect(&m, bytes);
        load(s, in, bytes, &m);
    }
    __syncthreads();
    wait(&m, 0);
    if (tid < 25) out[tid] = s[tid];
}
