// From head flags, one bit per element, to offsets: a word of flags is what a ballot would have told, so
// heads are counted 32 at a time, and only the blocks' counts are scanned.
//
// count(const u32* bits, size_t n, u32* counts): counts[b] is how many segments begin in block b
// to_offsets(const u32* bits, size_t n, const u32* before, u32* offsets, size_t capacity,
//            u32* count): before[b] is how many segments begin before block b
// Launch: both ceil(n / 8192) blocks of 256 threads, no dynamic shared memory; n > 0, n < 2^32;
// bits has ceil(n / 32) words, and is 0 from bit n on. Results are as in offsets_of_flags.cu.
#include "offsets.cuh"

// A thread's word of flags.
__device__ u32 own_word(const u32* bits, size_t n) {
    size_t w = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 word = w * 32 < n ? bits[w] : 0;
    return word | (w == 0);
}

// ANCHOR: count
// What lies before a warp in its block, and the block's sum, given each lane's number of heads.
__device__ Before<u32> count_block(u32 heads) {
    __shared__ u32 aggregates[32];
    return scan_warps<Sum<u32>>(aggregates, warp_scan<Sum<u32>>(heads));
}

extern "C" __global__ void __launch_bounds__(256)
    count(const u32* __restrict__ bits, size_t n, u32* __restrict__ counts) {
    u32 heads = count_block(__popc(own_word(bits, n))).block_aggregate;
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = heads;
    }
}
// ANCHOR_END: count

extern "C" __global__ void __launch_bounds__(256)
    to_offsets(const u32* __restrict__ bits, size_t n, const u32* __restrict__ before,
               u32* __restrict__ offsets, size_t capacity, u32* __restrict__ count) {
    OffsetsOut out = {offsets, capacity, count};
    // ANCHOR: scatter
    u32 own = own_word(bits, n);
    Before<u32> heads = count_block(__popc(own));
    u32 index = before[blockIdx.x] + heads.warp;
    u32 begin = (blockIdx.x * (blockDim.x / 32) + warp_id()) * 1024 + lane_id();
    for (unsigned w = 0; w < 32; w++) {
        u32 word = __shfl_sync(ALL_LANES, own, w);
        if (word >> lane_id() & 1) {
            out.put(index + __popc(word & ((1u << lane_id()) - 1)), begin + 32 * w);
        }
        index += __popc(word);
    }
    // ANCHOR_END: scatter
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        out.finish(before[blockIdx.x] + heads.block_aggregate, n);
    }
}
