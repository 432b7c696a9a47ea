// Broken: look-back with the value and its flag in two words, and nothing that orders them. A block
// that sees the flag may still read the value that stood there before.
//
// inclusive_sum_f32(const f32* in, f32* out, size_t n, f32* prefixes, unsigned* flags)
// Launch: ceil(n / 512) blocks of 512 threads. Before it: a zeroed flag for each block, and one more,
// from which tiles are numbered.
#include "../warp_scan.cuh"

extern "C" __global__ void inclusive_sum_f32(const f32* __restrict__ in, f32* __restrict__ out,
                                             size_t n, f32* prefixes, unsigned* flags) {
    __shared__ f32 aggregates[32];
    __shared__ f32 before_tile;
    __shared__ unsigned tile;
    if (threadIdx.x == 0) {
        tile = atomicAdd(flags + gridDim.x, 1);
    }
    __syncthreads();
    size_t i = size_t(tile) * blockDim.x + threadIdx.x;
    f32 x = i < n ? in[i] : 0.0f;
    f32 scanned = warp_scan<Sum<f32>>(x);
    Before<f32> before = scan_warps<Sum<f32>>(aggregates, scanned);
    // ANCHOR: publish
    if (threadIdx.x == 0) {
        f32 prefix = 0.0f;
        if (tile > 0) {
            while (*(volatile unsigned*)(flags + tile - 1) == 0) {
            }
            prefix = prefixes[tile - 1];
        }
        prefixes[tile] = prefix + before.block_aggregate;
        *(volatile unsigned*)(flags + tile) = 1;
        before_tile = prefix;
    }
    __syncthreads();
    // ANCHOR_END: publish
    if (i < n) {
        out[i] = before_tile + before.warp + scanned;
    }
}
