// Clusters of blocks, by cooperative groups.
//
// ptx: compute_90

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each block publishes its number in its shared memory, and gathers the numbers of its cluster as the
// digits of a number to the base 1000, that of rank 0 first.
__device__ void gather(unsigned long long* out)
{
    __shared__ unsigned number[2]; // the second word is what other blocks add to
    const cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        number[0] = blockIdx.x;
        number[1] = 0;
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned long long all = 0;
        for (unsigned rank = 0; rank < cluster.num_blocks() && rank < 6; rank++) {
            all = 1000 * all + *cluster.map_shared_rank(&number[0], rank);
        }
        out[2 * blockIdx.x] = all;
    }
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    unsigned* const there = cluster.map_shared_rank(&number[1], next);
    atomicAdd(there, cluster.query_shared_rank(there) + 1);
    cluster.sync();
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x + 1] = number[1] + 1000 * cluster.block_index().x + 100000 * cluster.dim_blocks().x;
    }
}

extern "C" __global__ void gather_any(unsigned long long* out)
{
    gather(out);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) gather_two(unsigned long long* out)
{
    gather(out);
}

constexpr unsigned WORDS = 8192;

// Accesses of lanes at random words of shared memory: loads (0), stores (1) and additions (2) in the next
// block of the cluster, additions in any block (3), and in the own block by an address in the cluster (4).
extern "C" __global__ void scatter(unsigned* out, unsigned what, unsigned rounds)
{
    __shared__ unsigned words[WORDS];
    const cg::cluster_group cluster = cg::this_cluster();
    for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x) {
        words[i] = i;
    }
    cluster.sync();
    const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    const unsigned base = (unsigned)__cvta_generic_to_shared(words);
    unsigned x = threadIdx.x * 2654435761u + blockIdx.x * 40503u, sum = 0;
    for (unsigned i = 0; i < rounds; i++) {
        x = x * 1664525u + 1013904223u;
        const unsigned own = base + (x >> 8) % WORDS * 4;
        const unsigned owner = what == 4 ? rank : what == 3 ? (x >> 24) % blocks : (rank + 1) % blocks;
        unsigned there, value;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(owner));
        if (what == 0) {
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
            sum += value;
        } else if (what == 1) {
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(x) : "memory");
        } else {
            asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(there) : "memory");
        }
    }
    cluster.sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
