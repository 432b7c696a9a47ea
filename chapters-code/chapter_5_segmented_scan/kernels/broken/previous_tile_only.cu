// Broken: the second kernel of spmv_tiles adds to a row what the tile before left open, and nothing of the tiles before
// that one. Right as long as no row begins before a tile and covers all of it.
//
// add_carries, launch and arguments as spmv_tiles.cu.
#include "../reduce.cuh"

constexpr u32 TILE = 4096;
constexpr u32 NONE = 0xffffffffu;

// ANCHOR: add_carries
extern "C" __global__ void add_carries(const u32* __restrict__ offsets, f32* __restrict__ y,
                                       u32 tiles, const f32* __restrict__ open,
                                       const u32* __restrict__ first) {
    u32 tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    u32 row = tile < tiles ? first[tile] : NONE;
    if (row != NONE && lane_id() == 0 && offsets[row] / TILE < tile) {
        y[row] += open[tile - 1];
    }
}
// ANCHOR_END: add_carries
