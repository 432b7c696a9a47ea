// mbarriers and bulk copies by their PTX instructions.
#pragma once

typedef unsigned long long u64;

__device__ unsigned shared(const void *p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(u64 *m, int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(m)), "r"(count) : "memory");
}

__device__ void invalidate(u64 *m) {
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared(m)) : "memory");
}

// Copies may count on the mbarriers that this thread has initialised.
__device__ void init_done() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ void arrive(u64 *m) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared(m)) : "memory");
}

__device__ void arrive_for(u64 *m, int count) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0], %1;" ::"r"(shared(m)), "r"(count) : "memory");
}

__device__ void arrive_and_expect(u64 *m, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(m)), "r"(bytes)
                 : "memory");
}

// Waits for the phase of this parity.
__device__ void wait(u64 *m, int parity) {
    int done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
                     "  selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared(m)), "r"(parity)
                     : "memory");
    } while (!done);
}

// Begins to fill shared memory; `m` counts the bytes.
__device__ void load(void *to, const void *from, int bytes, u64 *m) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];" ::"r"(shared(to)),
                 "l"(from), "r"(bytes), "r"(shared(m))
                 : "memory");
}

// Begins to write shared memory out.
__device__ void store(void *to, const void *from, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until what the thread's copies read may be written to, or what they write may be read.
template <int PENDING> __device__ void wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

template <int PENDING> __device__ void wait_written() {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(PENDING) : "memory");
}

// Orders what was read and written in shared memory before the copies that follow.
__device__ void fence_proxy_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
