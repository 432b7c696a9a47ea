// More bins than a block's shared memory holds: two blocks form a cluster and share one histogram.
//
// In ranges every key is read once per range. Here it is read once, by any block: half of the counters are
// in the shared memory of each block of a cluster, and a block adds to the counters of the other one
// through the network between multiprocessors.
//
// ptx: compute_90
//
// histogram_<dtype>(const dtype* in, u32* out, size_t n, Bins bins, State* state); `in` may have any
// alignment of its dtype
// Launch: a multiple of 2 blocks (at least 2, and no more than the device holds at once) of exactly 1024
// threads, 4 * ceil((bins.count + 3) / 2) bytes of dynamic shared memory. The kernel itself asks for
// clusters. state: as banked.cu. Writes out[0 .. bins.count + 3].
#include <cooperative_groups.h>
#include "flag.cuh"
#include "tiles.cuh"

namespace cg = cooperative_groups;

constexpr u32 ALL = 1024;   // threads: one block has the multiprocessor to itself
constexpr u32 CLUSTER = 2;  // blocks that share a histogram

// ANCHOR: spread
// Counter c is number c / CLUSTER in the block of rank c mod CLUSTER.
struct Spread {
    __device__ void add(u32 c) const {
        u32* there = cg::this_cluster().map_shared_rank(&counters[c / CLUSTER], c % CLUSTER);
        atomicAdd(there, 1);
    }
};
// ANCHOR_END: spread

template <typename T>
__device__ void count(const T* in, u32* out, size_t n, const Bins& bins, Flag flag) {
    cg::cluster_group cluster = cg::this_cluster();
    u32 rank = cluster.block_rank();
    u32 own = (bins.count + EXTRA - rank + CLUSTER - 1) / CLUSTER; // counters of this block

    // ANCHOR: count
    Packs<T> data(in, n);
    size_t start = size_t(blockIdx.x) * TILE;
    auto tile = load_tile<ALL>(data, start);
    for (u32 i = threadIdx.x; i < own; i += ALL) {
        counters[i] = 0;
    }
    flag.begin();
    cluster.sync(); // no block adds before the owner of the counter has zeroed it
    count_tiles(data, tile, start, gridDim.x, bins, Spread{});
    if (blockIdx.x == 0) {
        count_ends(in, data, bins, Spread{});
    }
    cluster.sync(); // no block reads its counters, or exits, before the others have added
    flag.wait();
    for (u32 i = threadIdx.x; i < own; i += ALL) {
        if (counters[i] > 0) {
            atomicAdd(&out[i * CLUSTER + rank], counters[i]);
        }
    }
    // ANCHOR_END: count
}

#define CLUSTERED_KERNEL(dtype) \
    extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(ALL, 1) \
        histogram_##dtype(const dtype* __restrict__ in, u32* out, size_t n, Bins bins, \
                          State* state) { \
        count(in, out, n, bins, Flag{state, out, bins.count + EXTRA}); \
    }

FOR_EACH_KEY(CLUSTERED_KERNEL)
