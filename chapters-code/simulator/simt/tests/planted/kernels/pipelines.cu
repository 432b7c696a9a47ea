// ptx: compute_90
// Bulk copies into stages of shared memory, between a warp that starts them and warps that use them.
#include "planted.cuh"
#include "mbarrier.cuh"

const int STAGE = 64, BYTES = STAGE * sizeof(int);

// Warp 0 copies three stages of 64 elements through one buffer; warps 1 and 2 add them up.
template <class Fill, class Use> __device__ void pipeline(Fill fill, Use use) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int round = 0; round < 3; round++) {
        if (warp > 0)
            use(round, threadIdx.x - 32);
        else if (lane == 0)
            fill(round);
    }
}

// Both barriers, for one producer and so many consumers, known to all.
__device__ void start(u64 *full, u64 *empty, int consumers) {
    if (threadIdx.x == 0) {
        init(full, 1);
        init(empty, consumers);
        init_done();
    }
    __syncthreads();
}

// A warp has read a stage, which copies may fill again.
__device__ void release(u64 *empty) {
    fence_proxy_async();
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(empty);
}

// One barrier, for one producer.
__device__ void start(u64 *full) {
    if (threadIdx.x == 0) {
        init(full, 1);
        init_done();
    }
    __syncthreads();
}

// Waits for the phase before the one that it wants, which is always complete.
KERNEL(wait_for_wrong_parity) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full, empty;
    start(&full, &empty, 2);
    int sum = 0;
    auto fill = [&](int round) {
        if (round > 0) wait(&empty, round - 1 & 1);
        arrive_and_expect(&full, BYTES);
        load(s, in + round * STAGE, BYTES, &full);
    };
    auto use = [&](int round, int i) {
        wait(&full, OK ? round & 1 : round + 1 & 1);
        sum += s[i];
        release(&empty);
    };
    pipeline(fill, use);
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// Does not say how many bytes are to come, so that the phase is complete before they are there.
KERNEL(bytes_not_announced) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full, empty;
    start(&full, &empty, 2);
    int sum = 0;
    auto fill = [&](int round) {
        if (round > 0) wait(&empty, round - 1 & 1);
        if (OK) arrive_and_expect(&full, BYTES);
        else arrive(&full);
        load(s, in + round * STAGE, BYTES, &full);
    };
    auto use = [&](int round, int i) {
        wait(&full, round & 1);
        sum += s[i];
        release(&empty);
    };
    pipeline(fill, use);
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// Announces half of the bytes that come.
KERNEL(too_few_bytes_announced) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full, empty;
    start(&full, &empty, 2);
    int sum = 0;
    auto fill = [&](int round) {
        if (round > 0) wait(&empty, round - 1 & 1);
        arrive_and_expect(&full, OK ? BYTES : BYTES / 2);
        load(s, in + round * STAGE, BYTES, &full);
    };
    auto use = [&](int round, int i) {
        wait(&full, round & 1);
        sum += s[i];
        release(&empty);
    };
    pipeline(fill, use);
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// Two copies come, and the bytes of one are announced: the first to come completes the phase.
KERNEL(second_copy_not_announced) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full;
    start(&full);
    if (threadIdx.x == 0) {
        arrive_and_expect(&full, OK ? BYTES : BYTES / 2);
        load(s, in, BYTES / 2, &full);
        load(s + STAGE / 2, in + STAGE / 2, BYTES / 2, &full);
    }
    wait(&full, 0);
    if (threadIdx.x < STAGE) out[threadIdx.x] = s[threadIdx.x];
}

// Fills the buffer anew without waiting until everybody has used it.
KERNEL(stage_filled_while_in_use) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full, empty;
    start(&full, &empty, 2);
    int sum = 0;
    auto fill = [&](int round) {
        if (OK && round > 0) wait(&empty, round - 1 & 1);
        if (!OK && round > 0) wait(&full, round - 1 & 1);
        arrive_and_expect(&full, BYTES);
        load(s, in + round * STAGE, BYTES, &full);
    };
    auto use = [&](int round, int i) {
        wait(&full, round & 1);
        sum += s[i];
        release(&empty);
    };
    pipeline(fill, use);
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// The warps that have read the stage release it without a fence between the proxies.
KERNEL(stage_released_unfenced) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full, empty;
    start(&full, &empty, 2);
    int sum = 0;
    auto fill = [&](int round) {
        if (round > 0) wait(&empty, round - 1 & 1);
        arrive_and_expect(&full, BYTES);
        load(s, in + round * STAGE, BYTES, &full);
    };
    auto use = [&](int round, int i) {
        wait(&full, round & 1);
        sum += s[i];
        if (OK) fence_proxy_async();
        __syncwarp();
        if (i % 32 == 0) arrive(&empty);
    };
    pipeline(fill, use);
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// The copying thread has acquired the stage and fills it again without a fence between the proxies.
KERNEL(stage_acquired_unfenced) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full, empty;
    start(&full, &empty, 2);
    int sum = 0;
    auto fill = [&](int round) {
        if (!OK) fence_proxy_async();
        if (round > 0) wait(&empty, round - 1 & 1);
        if (OK) fence_proxy_async();
        arrive_and_expect(&full, BYTES);
        load(s, in + round * STAGE, BYTES, &full);
    };
    auto use = [&](int round, int i) {
        wait(&full, round & 1);
        sum += s[i];
        __syncwarp();
        if (i % 32 == 0) arrive(&empty);
    };
    pipeline(fill, use);
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// All threads have read the stage before a barrier, and no fence follows that barrier.
KERNEL(stage_refilled_unfenced) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full;
    start(&full);
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x == 0) {
            if (OK) fence_proxy_async();
            arrive_and_expect(&full, BYTES);
            load(s, in + round * STAGE, BYTES, &full);
        }
        wait(&full, round & 1);
        if (threadIdx.x < STAGE) sum += s[threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.x < STAGE) out[threadIdx.x] = sum;
}

// Two warps use a stage, but it counts as free when one of them has.
KERNEL(more_consumers_than_counted) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full, empty;
    start(&full, &empty, OK ? 2 : 1);
    int sum = 0;
    auto fill = [&](int round) {
        if (round > 0) wait(&empty, round - 1 & 1);
        arrive_and_expect(&full, BYTES);
        load(s, in + round * STAGE, BYTES, &full);
    };
    auto use = [&](int round, int i) {
        wait(&full, round & 1);
        sum += s[i];
        release(&empty);
    };
    pipeline(fill, use);
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// A stage counts as free when four warps have used it, of which there are two.
KERNEL(fewer_consumers_than_counted) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full, empty;
    start(&full, &empty, OK ? 2 : 4);
    int sum = 0;
    auto fill = [&](int round) {
        if (round > 0) wait(&empty, round - 1 & 1);
        arrive_and_expect(&full, BYTES);
        load(s, in + round * STAGE, BYTES, &full);
    };
    auto use = [&](int round, int i) {
        wait(&full, round & 1);
        sum += s[i];
        release(&empty);
    };
    pipeline(fill, use);
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// A warp that finds nothing to add does not say that it is through.
KERNEL(arrival_in_one_branch) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full, empty;
    start(&full, &empty, 2);
    int sum = 0;
    auto fill = [&](int round) {
        if (round > 0) wait(&empty, round - 1 & 1);
        arrive_and_expect(&full, BYTES);
        load(s, in + round * STAGE, BYTES, &full);
    };
    auto use = [&](int round, int i) {
        wait(&full, round & 1);
        bool through = i % 32 == 0;
        if (i < 32) {
            sum += s[i];
        } else {
            through = OK && through;
        }
        fence_proxy_async();
        __syncwarp();
        if (through) arrive(&empty);
    };
    pipeline(fill, use);
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// Reads the stage before it waits for it.
KERNEL(stage_read_before_wait) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full, empty;
    start(&full, &empty, 2);
    int sum = 0;
    auto fill = [&](int round) {
        if (round > 0) wait(&empty, round - 1 & 1);
        arrive_and_expect(&full, BYTES);
        load(s, in + round * STAGE, BYTES, &full);
    };
    auto use = [&](int round, int i) {
        volatile int *stage = s;
        int early = stage[i];
        wait(&full, round & 1);
        sum += OK ? s[i] : early;
        release(&empty);
    };
    auto waits = [&](int round, int i) {
        wait(&full, round & 1);
        sum += s[i];
        release(&empty);
    };
    if (OK) pipeline(fill, waits);
    else pipeline(fill, use);
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// Lane 0 says that the warp is through while other lanes may still read.
KERNEL(lane_arrives_for_others) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full, empty;
    start(&full, &empty, 2);
    int sum = 0;
    auto fill = [&](int round) {
        if (round > 0) wait(&empty, round - 1 & 1);
        arrive_and_expect(&full, BYTES);
        load(s, in + round * STAGE, BYTES, &full);
    };
    auto use = [&](int round, int i) {
        wait(&full, round & 1);
        sum += s[i];
        fence_proxy_async();
        if (OK) __syncwarp();
        if (i % 32 == 0) arrive(&empty);
    };
    pipeline(fill, use);
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// Lane 0 waits, and the other lanes read.
KERNEL(lane_waits_for_others) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full;
    start(&full);
    if (threadIdx.x == 0) {
        arrive_and_expect(&full, BYTES);
        load(s, in, BYTES, &full);
    }
    if (threadIdx.x % 32 == 0) wait(&full, 0);
    if (OK) __syncwarp();
    if (threadIdx.x < STAGE) out[threadIdx.x] = s[threadIdx.x];
}

// A barrier of the block is no wait for a copy.
KERNEL(barrier_for_a_copy) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full;
    start(&full);
    if (threadIdx.x == 0) {
        arrive_and_expect(&full, BYTES);
        load(s, in, BYTES, &full);
    }
    if (OK) wait(&full, 0);
    __syncthreads();
    if (threadIdx.x < STAGE) out[threadIdx.x] = s[threadIdx.x];
    wait(&full, 0);
}

// Copies what another thread of the block still has to write.
KERNEL(source_written_late) {
    __shared__ alignas(128) int s[STAGE];
    __shared__ u64 full;
    start(&full);
    if (threadIdx.x < STAGE) {
        scratch[threadIdx.x] = in[threadIdx.x] + 1;
        asm volatile("fence.proxy.async.global;" ::: "memory");
    }
    if (OK) __syncthreads();
    if (threadIdx.x == 0) {
        arrive_and_expect(&full, BYTES);
        load(s, scratch, BYTES, &full);
    }
    wait(&full, 0);
    if (threadIdx.x < STAGE) out[threadIdx.x] = s[threadIdx.x];
}
