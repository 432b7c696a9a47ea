// ptx: compute_90
// Kernels that are wrong, and in which the race check finds nothing. `../missed.rs` says under which
// entry of the book, and the detectors' headers say why.
#include "planted.cuh"
#include "mbarrier.cuh"

#define MISSED(name) extern "C" __global__ void name(ARGUMENTS)

__device__ void named_barrier(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ int look(int *p) { return *static_cast<volatile int *>(p); }

__device__ void set(int *p, int value) { *static_cast<volatile int *>(p) = value; }

__device__ void wait_for(int *flag) {
    while (look(flag) == 0) {
    }
}

// Three warps read a word, and the last one writes to it after it has met two of them.
MISSED(third_reader) {
    __shared__ int s;
    unsigned tid = threadIdx.x, warp = tid / 32;
    if (tid == 96) s = in[0];
    __syncthreads();
    if (warp < 3) out[tid] = s;
    if (warp > 0) named_barrier(1, 96);
    if (tid == 96) s = 1;
}

// The second block reads a word after the first has, which writes to it when it has heard of that; but
// nothing orders the flag behind the read.
MISSED(second_reading_block) {
    if (threadIdx.x != 0) return;
    out[blockIdx.x] = scratch[0];
    if (blockIdx.x == 1) {
        set(&scratch[1], 1);
    } else {
        wait_for(&scratch[1]);
        scratch[0] = 1;
    }
}

// The reader of a flag needs a fence between the flag and the data, too.
MISSED(reader_unfenced) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        scratch[1] = in[0];
        __threadfence();
        set(&scratch[0], 1);
    } else {
        wait_for(&scratch[0]);
        out[0] = scratch[1];
    }
}

// Sums and their counter are volatile or atomic, and no fence lies between them.
MISSED(volatile_sums_unfenced) {
    if (threadIdx.x != 0) return;
    set(&scratch[1 + blockIdx.x], in[blockIdx.x]);
    if (atomicAdd(&scratch[0], 1) != gridDim.x - 1) return;
    int sum = 0;
    for (int block = 0; block < gridDim.x; block++) sum += look(&scratch[1 + block]);
    out[0] = sum;
}

// The block in the middle hands on what it has acquired, with no fence of its own.
MISSED(handed_on_unfenced) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        scratch[2] = in[0];
        __threadfence();
        set(&scratch[0], 1);
    } else if (blockIdx.x == 1) {
        wait_for(&scratch[0]);
        set(&scratch[1], 1);
    } else {
        wait_for(&scratch[1]);
        __threadfence();
        out[0] = scratch[2];
    }
}

// The data is released by one word, and the reader waits for another one, which is written later.
MISSED(released_by_another_word) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        scratch[2] = in[0];
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(&scratch[1]) : "memory");
        set(&scratch[0], 1);
    } else {
        wait_for(&scratch[0]);
        __threadfence();
        out[0] = scratch[2];
    }
}

// Reads what the same launch writes through the read-only path.
MISSED(read_only_path) {
    unsigned tid = threadIdx.x;
    scratch[tid] = in[tid];
    out[tid] = __ldg(&scratch[63 - tid]);
}

// The barrier is missing where n is 64, which it is not.
MISSED(branch_not_taken) {
    __shared__ int s[64];
    unsigned tid = threadIdx.x;
    s[tid] = in[tid];
    if (n != 64) __syncthreads();
    out[tid] = s[63 - tid];
}

// Waits for a flag that nobody raises, and counts how long.
MISSED(waits_and_counts) {
    int rounds = 0;
    while (look(&scratch[0]) == 0) rounds++;
    out[threadIdx.x] = rounds;
}

// The last threads go past the barrier to the end of the kernel.
MISSED(barrier_skipped_on_the_way_out) {
    __shared__ int s[64];
    unsigned tid = threadIdx.x;
    s[tid] = in[tid];
    if (tid < 48) {
        __syncthreads();
        out[tid] = s[tid];
    }
}

// The warps go round the inner loop differently often, and as often in all.
MISSED(rounds_differ_in_between) {
    unsigned warp = threadIdx.x / 32;
#pragma unroll 1
    for (unsigned outer = 0; outer < 2; outer++) {
        unsigned rounds = 1 + (outer + warp) % 2;
#pragma unroll 1
        for (unsigned inner = 0; inner < rounds; inner++) __syncthreads();
        out[threadIdx.x] = outer;
    }
}

// A barrier under a guard, with no branch.
MISSED(barrier_under_a_guard) {
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %0, 32; @p bar.sync 0; }" ::"r"(threadIdx.x)
                 : "memory");
    out[threadIdx.x] = in[threadIdx.x];
}

// Takes the lanes that happen to be together for those that are meant.
MISSED(activemask_as_mask) {
    int value = in[threadIdx.x];
    for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(__activemask(), value, by);
    if (threadIdx.x == 0) out[0] = value;
}

// Writes one byte of a word, and reads all of them.
MISSED(one_byte_of_a_word) {
    unsigned tid = threadIdx.x;
    reinterpret_cast<unsigned char *>(fresh)[4 * tid] = 1;
    out[tid] = fresh[tid];
}

// A warp shuffles what should come from another; the lanes beyond the block are read by lanes whose result
// nobody needs.
MISSED(butterfly_across_warps) {
    int sum = in[threadIdx.x];
    for (int width = 48; width > 1; width /= 2) sum += __shfl_xor_sync(FULL, sum, width / 2);
    if (threadIdx.x == 0) out[0] = sum;
}

// A fence where a barrier is needed, between accesses that are all volatile.
MISSED(volatile_without_barrier) {
    __shared__ volatile int s[64];
    unsigned tid = threadIdx.x;
    s[tid] = 0;
    __syncthreads();
    s[tid] = in[tid];
    __threadfence_block();
    out[tid] = s[63 - tid];
}

// Chooses a value that nobody has written.
MISSED(unwritten_value_chosen) {
    unsigned tid = threadIdx.x;
    int value = fresh[tid], chosen;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 32; selp.b32 %0, %2, 7, p; }"
                 : "=r"(chosen)
                 : "r"(tid), "r"(value));
    out[tid] = chosen;
}

// The array behind is of the same structure.
MISSED(member_into_next) {
    __shared__ struct { int first[64], second[64]; } both;
    unsigned tid = threadIdx.x;
    both.first[tid] = in[tid];
    both.second[tid] = 0;
    __syncthreads();
    out[tid] = both.first[tid + 1];
}

// A thread's own two arrays are one piece of local memory.
MISSED(local_into_next) {
    int first[8], second[8], tid = threadIdx.x;
    for (int i = 0; i < 8; i++) {
        first[in[i] & 7] = i;
        second[in[i + 8] & 7] = i;
    }
    for (int i = 0; i < 8; i++) first[i] = second[7 - i] = i;
    first[in[tid] % 16] += 1;
    out[tid] = second[tid & 7] + first[tid & 7];
}

// A pointer to either of two arrays leaves one of them for the other.
MISSED(pointer_to_either_array) {
    __shared__ int first[64], second[64];
    unsigned tid = threadIdx.x;
    first[tid] = second[tid] = in[tid];
    __syncthreads();
    const int *at = n > 63 ? first : second;
    out[tid] = at[tid + 1];
}

// A pointer comes from another lane.
MISSED(pointer_from_another_lane) {
    __shared__ int first[64], second[64];
    unsigned tid = threadIdx.x;
    first[tid] = second[tid] = in[tid];
    __syncthreads();
    long long at = __shfl_sync(FULL, reinterpret_cast<long long>(first), 0);
    out[tid] = reinterpret_cast<const int *>(at)[tid + 1] + second[tid];
}

// `in` begins 4608 bytes before `out`.
MISSED(index_into_another_allocation) {
    unsigned tid = threadIdx.x;
    out[tid] = in[tid + 1152];
}

__device__ void copy(int *to, const int *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared(to)), "l"(from) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Half of the warp commits an empty group, and has waited for its copies; the other half has not.
MISSED(groups_of_half_a_warp) {
    __shared__ int s[32];
    unsigned lane = threadIdx.x;
    copy(&s[lane], &in[lane]);
    commit();
    if (lane < 16) commit();
    __syncwarp();
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    out[lane] = s[lane];
}

// Lets an mbarrier tell when its copies are there, and does not wait for that.
MISSED(arrival_after_copies_not_waited_for) {
    __shared__ int s[32];
    __shared__ u64 m;
    unsigned lane = threadIdx.x;
    if (lane == 0) init(&m, 32);
    __syncthreads();
    copy(&s[lane], &in[lane]);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared(&m)) : "memory");
    out[lane] = s[lane];
    wait(&m, 0);
}

// A fence for global memory, between stores to shared memory and a copy of that.
MISSED(fence_for_another_space) {
    __shared__ alignas(128) int s[64];
    unsigned tid = threadIdx.x;
    s[tid] = in[63 - tid];
    asm volatile("fence.proxy.async.global;" ::: "memory");
    __syncthreads();
    if (tid == 0) {
        store(out, s, sizeof(s));
        wait_read<0>();
    }
}

// Two copies count on mbarriers beyond the first 16,382. One is waited for.
MISSED(very_many_mbarriers) {
    extern __shared__ u64 m[];
    __shared__ alignas(128) int s[2][64];
    const int last = 16390;
    if (threadIdx.x == 0) {
        for (int i = 0; i <= last; i++) init(&m[i], 1);
        init_done();
        for (int i = 0; i < 2; i++) {
            arrive_and_expect(&m[last - i], sizeof(s[i]));
            load(s[i], in + 64 * i, sizeof(s[i]), &m[last - i]);
        }
    }
    __syncthreads();
    wait(&m[last], 0);
    out[threadIdx.x] = s[1][threadIdx.x];
    wait(&m[last - 1], 0);
}
