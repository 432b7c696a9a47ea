// Hopper's asynchronous copies, as warp_specialized.cu needs them: a bulk copy from global to shared memory
// that reports to an mbarrier, and the mbarriers by which warps hand stages to each other.
//
// An mbarrier counts phases. A phase is complete when as many arrivals as it was made for have come,
// and all bytes that were announced. wait(parity) returns when the last complete phase has that parity: 1 at first.
#pragma once
#include "operators.cuh"

struct Mbarrier {
    u64 state;

    __device__ u32 address() { return u32(__cvta_generic_to_shared(&state)); }

    __device__ void init(u32 arrivals) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(address()), "r"(arrivals) : "memory");
    }
    __device__ void arrive() {
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }"
                     :: "r"(address()) : "memory");
    }
    // Arrives, and announces bytes that a bulk copy will bring.
    __device__ void arrive_and_expect(u32 bytes) {
        asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }"
                     :: "r"(address()), "r"(bytes) : "memory");
    }
    __device__ void wait(u32 parity) {
        u32 done;
        do {
            asm volatile("{ .reg .pred p;\n"
                         "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(address()), "r"(parity) : "memory");
        } while (!done);
    }
};

// Makes the mbarriers that a thread has initialised known to the asynchronous copies. A barrier for the
// block must follow.
__device__ inline void fence_mbarrier_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// ANCHOR: fence
// Orders what a lane has read and written in shared memory before the asynchronous copies that come
// after it. Barriers and mbarriers alone order ordinary accesses only. Copies reach memory by another path (the
// async proxy), and may overtake a read that is still queued. Every lane that has read a stage executes the
// fence before the stage is handed back.
__device__ inline void fence_before_copies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// ANCHOR_END: fence

// Starts a copy of bytes, a multiple of 16, between 16-byte aligned addresses. The TMA counts on `full`
// the bytes that have come.
__device__ inline void bulk_copy(void* shared, const void* global, u32 bytes, Mbarrier& full) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(u32(__cvta_generic_to_shared(shared))),
                    "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(full.address())
                 : "memory");
}

// ANCHOR: state
// Where in a ring of stages a warp is. One lap of the ring is one phase of each stage's mbarriers, so `phase`
// is the number of the lap.
struct PipelineState {
    u32 stage = 0, phase = 0;

    __device__ void advance(u32 by, u32 stages) {
        stage += by;
        while (stage >= stages) {
            stage -= stages;
            phase++;
        }
    }
    // The argument of a wait for this lap's phase; parity() ^ 1 is that of a wait for the lap before.
    __device__ u32 parity() const { return phase & 1; }
};
// ANCHOR_END: state
