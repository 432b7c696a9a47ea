// BROKEN: a block of a cluster adds to counters that their owner may not have zeroed yet.
//
// As ../clustered.cu, but with a barrier of the block where one of the cluster is needed. After it a block
// knows that its own counters are zero, and adds to those of the other one as well. What it adds before
// that one zeroes is lost. Caught by: the race detector (shared memory, between blocks of a cluster); the
// verdict where the blocks do not begin together.
//
// ptx: compute_90
//
// histogram_u32(const u32* in, u32* out, size_t n, Bins bins)
// Launch: as global_atomics.cu, a multiple of 2 blocks, 4 * ceil((bins.count + 3) / 2) bytes of dynamic
// shared memory. The kernel itself asks for clusters.
#include <cooperative_groups.h>
#include "../histogram.cuh"

namespace cg = cooperative_groups;

constexpr u32 CLUSTER = 2;

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1)
    histogram_u32(const u32* __restrict__ in, u32* out, size_t n, Bins bins) {
    cg::cluster_group cluster = cg::this_cluster();
    u32 rank = cluster.block_rank();
    u32 own = (bins.count + EXTRA - rank + CLUSTER - 1) / CLUSTER;
    // ANCHOR: bug
    for (u32 i = threadIdx.x; i < own; i += blockDim.x) {
        counters[i] = 0;
    }
    __syncthreads(); // wrong: cluster.sync() is needed
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        u32 c = counter_of(in[i], bins);
        atomicAdd(cluster.map_shared_rank(&counters[c / CLUSTER], c % CLUSTER), 1);
    }
    // ANCHOR_END: bug
    cluster.sync();
    for (u32 i = threadIdx.x; i < own; i += blockDim.x) {
        if (counters[i] > 0) {
            atomicAdd(&out[i * CLUSTER + rank], counters[i]);
        }
    }
}
