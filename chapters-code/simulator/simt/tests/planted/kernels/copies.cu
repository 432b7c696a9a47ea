// ptx: compute_80
// Asynchronous copies that are read before they are there.
#include "planted.cuh"

__device__ void copy(int *to, const int *from) {
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int PENDING> __device__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

// A thread reads its own copy without waiting for it.
KERNEL(copy_not_waited_for) {
    __shared__ int s[64];
    int tid = threadIdx.x;
    copy(&s[tid], &in[tid]);
    commit();
    if (OK) wait<0>();
    out[tid] = s[tid];
}

// A thread has waited for its own copies, but not for those of the others.
KERNEL(copy_without_barrier) {
    __shared__ int s[64];
    int tid = threadIdx.x;
    copy(&s[tid], &in[tid]);
    commit();
    wait<0>();
    if (OK) __syncthreads();
    out[tid] = s[63 - tid];
}

// The barrier comes before the wait.
KERNEL(copy_waited_for_late) {
    __shared__ int s[64];
    int tid = threadIdx.x;
    copy(&s[tid], &in[tid]);
    commit();
    if (OK) wait<0>();
    __syncthreads();
    if (!OK) wait<0>();
    out[tid] = s[63 - tid];
}

// Of two groups the older one is there, and the younger one is read.
KERNEL(copy_of_younger_group) {
    __shared__ int s[2][64];
    int tid = threadIdx.x;
    copy(&s[0][tid], &in[tid]);
    commit();
    copy(&s[1][tid], &in[63 - tid]);
    commit();
    wait<1>();
    out[tid] = s[OK ? 0 : 1][tid];
}

// A stage of a pipeline is filled anew while slow warps still read it.
KERNEL(stage_filled_early) {
    __shared__ int s[64];
    int tid = threadIdx.x, sum = 0;
    for (int step = 0; step < 3; step++) {
        copy(&s[tid], &in[(tid + step) % n]);
        commit();
        wait<0>();
        __syncthreads();
        sum += s[63 - tid];
        if (OK) __syncthreads();
    }
    out[tid] = sum;
}
