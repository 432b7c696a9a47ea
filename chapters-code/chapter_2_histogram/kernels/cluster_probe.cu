// What accesses to shared memory cost, in the own block and in another block of a cluster: `examples/clusters.rs` times them.
//
// ptx: compute_90
//
// Of throughput: <access>_<where>(u32* clocks, u32 count), with the accesses add, store and load, and where own_in_order,
// own_random, next_in_order, next_random (in clusters of 2), and any_random_2, _4, _8 (in clusters of so many). All threads
// make `count` accesses each, to WORDS words. Launch: a multiple of the cluster of blocks of exactly 1024 threads.
// Of latency: wait_<what>(u32* clocks, u32 count): one thread makes `count` accesses, each at the place that the one before has
// read; or all threads pass `count` barriers. Launch: 1 cluster, with exactly 1024 threads per block.
// No dynamic shared memory. The kernels themselves ask for clusters. Writes the clocks of each block to clocks[0 .. blocks].
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
using u32 = unsigned;

constexpr u32 THREADS = 1024;
constexpr u32 WORDS = 8192;
__shared__ u32 words[WORDS];

enum class Where { Own, Next, Any };

// The next block's, if there are several.
template <Where WHERE, u32 CLUSTER> __device__ u32* in_block(u32* own, u32 number) {
    if constexpr (WHERE == Where::Own) {
        return own;
    } else {
        cg::cluster_group cluster = cg::this_cluster();
        u32 rank = WHERE == Where::Next ? cluster.block_rank() + 1 : number;
        return cluster.map_shared_rank(own, rank % CLUSTER);
    }
}

template <u32 CLUSTER> __device__ void meet() {
    if constexpr (CLUSTER > 1) {
        cg::this_cluster().sync();
    } else {
        __syncthreads();
    }
}

struct Add {
    static __device__ u32 access(u32* at) {
        atomicAdd(at, 1);
        return 0;
    }
};
struct Store {
    static __device__ u32 access(u32* at) {
        *reinterpret_cast<volatile u32*>(at) = 1;
        return 0;
    }
};
struct Load {
    static __device__ u32 access(u32* at) { return *reinterpret_cast<volatile u32*>(at); }
};

template <typename Access, Where WHERE, bool RANDOM, u32 CLUSTER>
__device__ void throughput(u32* clocks, u32 count) {
    for (u32 i = threadIdx.x; i < WORDS; i += THREADS) {
        words[i] = 0;
    }
    meet<CLUSTER>();
    u32 random = (blockIdx.x * THREADS + threadIdx.x) * 2654435761u, sum = 0;
    long long begin = clock64();
#pragma unroll 4
    for (u32 i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223; // the upper bits are the better ones
        u32 word = RANDOM ? random >> 19 : (i * THREADS + threadIdx.x) % WORDS;
        sum += Access::access(in_block<WHERE, CLUSTER>(&words[word], random >> 16));
    }
    __syncthreads();
    u32 took = u32(clock64() - begin) + (sum == 1); // no word is so large: the loads are needed
    meet<CLUSTER>();                                // the other block may still access this one
    if (threadIdx.x == 0) {
        clocks[blockIdx.x] = took;
    }
}

// A chain through the words: each holds the index of the next one.
template <bool IS_ADD, Where WHERE, u32 CLUSTER> __device__ void wait(u32* clocks, u32 count) {
    for (u32 i = threadIdx.x; i < WORDS; i += THREADS) {
        words[i] = (i + 1) % WORDS;
    }
    meet<CLUSTER>();
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        u32* first = in_block<WHERE, CLUSTER>(words, 0);
        u32 at = 0;
        long long begin = clock64();
        for (u32 i = 0; i < count; i++) {
            at = IS_ADD ? atomicAdd(first + at, 0) : *reinterpret_cast<volatile u32*>(first + at);
        }
        clocks[0] = u32(clock64() - begin) + (at == WORDS);
    }
    meet<CLUSTER>();
}

template <u32 CLUSTER> __device__ void barriers(u32* clocks, u32 count) {
    meet<CLUSTER>();
    long long begin = clock64();
    for (u32 i = 0; i < count; i++) {
        meet<CLUSTER>();
    }
    if (threadIdx.x == 0) {
        clocks[blockIdx.x] = u32(clock64() - begin);
    }
}

#define OWN extern "C" __global__ void __launch_bounds__(THREADS, 1)
#define IN_CLUSTERS(n) extern "C" __global__ void __cluster_dims__(n, 1, 1) __launch_bounds__(THREADS, 1)
#define THROUGHPUT(of, name, Access, WHERE, RANDOM, CLUSTER) \
    of name(u32* clocks, u32 count) { throughput<Access, Where::WHERE, RANDOM, CLUSTER>(clocks, count); }
THROUGHPUT(OWN, add_own_in_order, Add, Own, false, 1)
THROUGHPUT(OWN, add_own_random, Add, Own, true, 1)
THROUGHPUT(IN_CLUSTERS(2), add_any_random_2, Add, Any, true, 2)
THROUGHPUT(IN_CLUSTERS(4), add_any_random_4, Add, Any, true, 4)
THROUGHPUT(IN_CLUSTERS(8), add_any_random_8, Add, Any, true, 8)
THROUGHPUT(IN_CLUSTERS(2), add_next_in_order, Add, Next, false, 2)
THROUGHPUT(IN_CLUSTERS(2), add_next_random, Add, Next, true, 2)
THROUGHPUT(OWN, store_own_in_order, Store, Own, false, 1)
THROUGHPUT(IN_CLUSTERS(2), store_next_in_order, Store, Next, false, 2)
THROUGHPUT(IN_CLUSTERS(2), store_next_random, Store, Next, true, 2)
THROUGHPUT(OWN, load_own_random, Load, Own, true, 1)
THROUGHPUT(IN_CLUSTERS(2), load_next_random, Load, Next, true, 2)

OWN wait_load_own(u32* clocks, u32 count) { wait<false, Where::Own, 1>(clocks, count); }
IN_CLUSTERS(2) wait_load_next(u32* clocks, u32 count) { wait<false, Where::Next, 2>(clocks, count); }
OWN wait_add_own(u32* clocks, u32 count) { wait<true, Where::Own, 1>(clocks, count); }
IN_CLUSTERS(2) wait_add_next(u32* clocks, u32 count) { wait<true, Where::Next, 2>(clocks, count); }
OWN wait_barrier_of_block(u32* clocks, u32 count) { barriers<1>(clocks, count); }
IN_CLUSTERS(2) wait_barrier_of_cluster(u32* clocks, u32 count) { barriers<2>(clocks, count); }
