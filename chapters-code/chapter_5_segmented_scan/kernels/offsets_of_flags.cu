// From head flags, one byte per element, to offsets: chapter 4's compaction of the numbers 0, 1, 2, … by the
// flags. Three kernels: flags as numbers, their exclusive scan by a kernel of chapter 3, and a scatter.
//
// heads(const u8* flags, u32* heads, size_t n): 1 where a segment begins, otherwise 0
// to_offsets(const u8* flags, size_t n, const u32* before, u32* offsets, size_t capacity,
//            u32* count): before[i] is how many segments begin before i
// Launch: both ceil(n / block) blocks, no dynamic shared memory; n > 0, n < 2^32. offsets gets the index
// of each head, in order, and n behind the last, as far as its capacity goes. A first flag of 0 is taken
// for a head.
#include "offsets.cuh"

// ANCHOR: heads
__device__ bool is_head(const u8* flags, size_t i) { return i == 0 || flags[i] != 0; }

extern "C" __global__ void heads(const u8* __restrict__ flags, u32* __restrict__ heads,
                                 size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        heads[i] = is_head(flags, i);
    }
}
// ANCHOR_END: heads

extern "C" __global__ void to_offsets(const u8* __restrict__ flags, size_t n,
                                      const u32* __restrict__ before,
                                      u32* __restrict__ offsets, size_t capacity,
                                      u32* __restrict__ count) {
    // ANCHOR: scatter
    OffsetsOut out = {offsets, capacity, count};
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    bool head = is_head(flags, i);
    if (head) {
        out.put(before[i], i);
    }
    if (i == n - 1) {
        out.finish(before[i] + head, n);
    }
    // ANCHOR_END: scatter
}
