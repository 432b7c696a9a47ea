// Histograms in clusters of blocks, none of them as fast as ranges: `examples/clusters.rs` times them.
//
// ptx: compute_90
//
// <way>_<blocks per cluster>(const u32* in, u32* out, size_t n, Bins bins); `in` is aligned to 16 bytes, n is a multiple of
// 32768, every key is less than bins.count, and out[0 .. bins.count] is zero before
// Launch: a multiple of the cluster of blocks of exactly 1024 threads. The kernels themselves ask for clusters. Dynamic shared
// memory: 4 * ceil((bins.count + 3) / cluster) bytes, and, but for spread, 2 * 32 KiB more. Adds to out[0 .. bins.count].
#include <cooperative_groups.h>
#include "tiles.cuh"

namespace cg = cooperative_groups;

constexpr u32 ALL = 1024;
constexpr u32 LOADS = TILE / ALL;

// As clustered.cu, with any number of blocks per cluster.
template <u32 CLUSTER> struct Spread {
    __device__ void add(u32 c) const {
        atomicAdd(cg::this_cluster().map_shared_rank(&counters[c / CLUSTER], c % CLUSTER), 1);
    }
};

template <u32 CLUSTER> __device__ void spread(const u32* in, u32* out, size_t n, const Bins& bins) {
    cg::cluster_group cluster = cg::this_cluster();
    u32 rank = cluster.block_rank();
    u32 own = (bins.count - rank + CLUSTER - 1) / CLUSTER;
    Packs<u32> data(in, n);
    size_t start = size_t(blockIdx.x) * TILE;
    auto tile = load_tile<ALL>(data, start);
    for (u32 i = threadIdx.x; i < own; i += ALL) {
        counters[i] = 0;
    }
    cluster.sync();
    count_tiles(data, tile, start, gridDim.x, bins, Spread<CLUSTER>{});
    cluster.sync();
    for (u32 i = threadIdx.x; i < own; i += ALL) {
        if (counters[i] > 0) {
            atomicAdd(&out[i * CLUSTER + rank], counters[i]);
        }
    }
}

// A block's part of the bins, whose counters stand behind two tiles.
struct Part {
    u32* counts;
    u32 first, width;

    __device__ Part(u32 rank, u32 blocks, const Bins& bins) {
        u32 each = (bins.count + blocks - 1) / blocks;
        counts = counters + 2 * TILE * 4;
        first = rank * each;
        width = min(each, bins.count - first);
        for (u32 c = threadIdx.x; c < width; c += ALL) {
            counts[c] = 0;
        }
    }
    __device__ void add(u32 c) const {
        if (c - first < width) {
            atomicAdd(&counts[c - first], 1);
        }
    }
    __device__ void write(u32* out) const {
        __syncthreads();
        for (u32 c = threadIdx.x; c < width; c += ALL) {
            if (counts[c] > 0) {
                atomicAdd(&out[first + c], counts[c]);
            }
        }
    }
    __device__ void count(const uint4* tile, const Bins& bins) const {
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) {
            count_pack<u32>(tile[k * ALL + threadIdx.x], bins, *this);
        }
    }
};

// Each block loads a tile of its own, and counts the keys of its bins in the tiles of all blocks of the cluster.
template <u32 CLUSTER> __device__ void exchange(const u32* in, u32* out, size_t n, const Bins& bins) {
    cg::cluster_group cluster = cg::this_cluster();
    u32 rank = cluster.block_rank();
    Part part(rank, CLUSTER, bins);
    uint4* stages = reinterpret_cast<uint4*>(counters);
    Packs<u32> data(in, n);
    size_t step = size_t(gridDim.x) * TILE;
    size_t start = size_t(blockIdx.x) * TILE;
    Tile<ALL> tile = load_tile<ALL>(data, start);
    u32 stage = 0;
    for (size_t first = start - rank * TILE; first < data.count; first += step, start += step) {
        uint4* own = stages + stage * TILE;
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) {
            own[k * ALL + threadIdx.x] = tile.packs[k];
        }
        tile = load_tile<ALL>(data, start + step);
        // All tiles are there. And all blocks have counted the tiles before, so that their stage may be filled again.
        cluster.sync();
        for (u32 b = 0; b < CLUSTER; b++) {
            part.count(cluster.map_shared_rank(own, (rank + b) % CLUSTER), bins);
        }
        stage ^= 1;
    }
    part.write(out);
    cluster.sync(); // no block exits while another still reads its tile
}

__device__ inline u32 shared_address(const void* at) { return u32(__cvta_generic_to_shared(at)); }

// Each block starts a bulk copy of a part of a tile to the same place in all blocks of the cluster.
template <u32 CLUSTER> __device__ void multicast(const u32* in, u32* out, size_t n, const Bins& bins) {
    constexpr u32 PACKS = TILE / CLUSTER;
    __shared__ u64 full[2];
    cg::cluster_group cluster = cg::this_cluster();
    u32 rank = cluster.block_rank();
    Part part(rank, CLUSTER, bins);
    uint4* stages = reinterpret_cast<uint4*>(counters);
    const uint4* packs = reinterpret_cast<const uint4*>(in);
    u32 tiles = u32(n / 4 / TILE), step = gridDim.x / CLUSTER;
    auto copy = [&](u32 tile, u32 stage) {
        asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }"
                     :: "r"(shared_address(&full[stage])), "r"(TILE * 16) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], %2, [%3], %4;"
                     :: "r"(shared_address(stages + stage * TILE + rank * PACKS)),
                        "l"(__cvta_generic_to_global(packs + size_t(tile) * TILE + rank * PACKS)),
                        "r"(PACKS * 16), "r"(shared_address(&full[stage])), "h"(u16((1 << CLUSTER) - 1))
                     : "memory");
    };
    if (threadIdx.x == 0) {
        for (u64& barrier : full) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(shared_address(&barrier)) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    u32 first = blockIdx.x / CLUSTER;
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < 2; i++) {
            if (first + i * step < tiles) {
                copy(first + i * step, i);
            }
        }
    }
    u32 stage = 0, parity = 0;
    for (u32 tile = first; tile < tiles; tile += step) {
        u32 done;
        do {
            asm volatile("{ .reg .pred p;\n"
                         "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(shared_address(&full[stage])), "r"(parity) : "memory");
        } while (!done);
        part.count(stages + stage * TILE, bins);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // reads before the copy that follows
        cluster.sync(); // all blocks have counted this tile
        if (threadIdx.x == 0 && tile + 2 * step < tiles) {
            copy(tile + 2 * step, stage);
        }
        parity ^= stage;
        stage ^= 1;
    }
    part.write(out);
    cluster.sync();
}

#define TRIAL(way, cluster) \
    extern "C" __global__ void __cluster_dims__(cluster, 1, 1) __launch_bounds__(ALL, 1) \
        way##_##cluster(const u32* __restrict__ in, u32* out, size_t n, Bins bins) { \
        way<cluster>(in, out, n, bins); \
    }
TRIAL(spread, 2)
TRIAL(spread, 4)
TRIAL(spread, 8)
TRIAL(exchange, 2)
TRIAL(exchange, 4)
TRIAL(multicast, 2)
TRIAL(multicast, 4)
