// From offsets to head flags, one byte per element: a scatter, one thread per segment. Bytes are stored one by
// one, so no thread depends on its neighbours.
//
// to_flags(const u32* offsets, u32 segments, u8* flags, size_t n)
// Launch: ceil(segments / block) blocks, no dynamic shared memory. Before it, in the same stream:
// flags[0 .. n] zeroed. Segment s is [offsets[s], offsets[s + 1]); an empty one sets no flag, and no thread
// writes past flags[n - 1].
#include "flagged.cuh"

extern "C" __global__ void to_flags(const u32* __restrict__ offsets, u32 segments,
                                    u8* __restrict__ flags, size_t n) {
    // ANCHOR: scatter
    size_t s = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (s < segments) {
        u32 begin = offsets[s];
        if (begin < offsets[s + 1] && begin < n) {
            flags[begin] = 1;
        }
    }
    // ANCHOR_END: scatter
}
