// Barriers of the whole grid, by cooperative groups.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each round moves the values by a block and adds 1, from one array to the other and back.
template <bool SYNC>
__device__ void rotate(unsigned* first, unsigned* second, unsigned rounds)
{
    const cg::grid_group grid = cg::this_grid();
    const unsigned i = grid.thread_rank();
    const unsigned from = (i + blockDim.x) % (unsigned)grid.num_threads();
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned* const old = round % 2 ? second : first;
        unsigned* const next = round % 2 ? first : second;
        next[i] = old[from] + 1;
        if (SYNC) {
            grid.sync();
        }
    }
}

extern "C" __global__ void rotate_rounds(unsigned* first, unsigned* second, unsigned rounds)
{
    rotate<true>(first, second, rounds);
}

// Broken: blocks read what others have not written yet.
extern "C" __global__ void rotate_without_sync(unsigned* first, unsigned* second, unsigned rounds)
{
    rotate<false>(first, second, rounds);
}
