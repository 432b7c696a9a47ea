// From offsets to head flags, one bit per element: 32 flags share a word, so setting one is a
// read-modify-write that must not be interrupted.
//
// to_flags(const u32* offsets, u32 segments, u32* bits, size_t n)
// Launch: ceil(segments / block) blocks, no dynamic shared memory. Before it, in the same stream: bits,
// ceil(n / 32) words, zeroed. Otherwise as flags_of_offsets.cu.
#include "flagged.cuh"

extern "C" __global__ void to_flags(const u32* __restrict__ offsets, u32 segments,
                                    u32* __restrict__ bits, size_t n) {
    // ANCHOR: scatter
    size_t s = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (s < segments) {
        u32 begin = offsets[s];
        if (begin < offsets[s + 1] && begin < n) {
            atomicOr(&bits[begin / 32], 1u << begin % 32);
        }
    }
    // ANCHOR_END: scatter
}
