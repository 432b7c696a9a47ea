// From offsets to head flags, one bit per element, in one launch: a block makes a tile of flags in shared
// memory and stores each of its words once. So nothing is zeroed before, and no two blocks share a word.
//
// to_flags(const u32* offsets, u32 segments, u32* bits, size_t n)
// Launch: ceil(n / 131072) blocks of 256 threads, no dynamic shared memory; offsets and bits 16-byte aligned;
// at most 2^32 - 2048 segments. Otherwise as flags_of_offsets.cu, but nothing has to be zeroed.
#include "../../chapter_3_scan/kernels/warp_scan.cuh"

constexpr unsigned THREADS = 256;
constexpr unsigned WORDS = 4096; // of flags in a tile

// ANCHOR: search
// How many offsets are less than `flag`, by one warp. In each round, 32 lanes look at as many offsets, which divide
// those that are left into 32 equal spans; then one span is left.
__device__ u32 offsets_before(const u32* offsets, u32 count, u32 flag) {
    u32 low = 0, high = count; // the first offset that is not less is one of low ..= high
    while (low < high) {
        u32 step = (high - low + 31) / 32;
        u32 s = low + lane_id() * step;
        bool is_before = s < high && offsets[s] < flag;
        u32 before = __popc(__ballot_sync(ALL_LANES, is_before));
        high = min(low + before * step, high);
        low = before > 0 ? low + (before - 1) * step + 1 : low;
    }
    return low;
}
// ANCHOR_END: search

// Four offsets, of s and the next three, by one load where there are as many. In place of those past the last, the
// greatest number, which is the offset of no flag.
__device__ void load_four(u32 (&four)[4], const u32* offsets, u32 s, u32 segments) {
    if (s + 3 <= segments) {
        uint4 pack = reinterpret_cast<const uint4*>(offsets)[s / 4];
        four[0] = pack.x, four[1] = pack.y, four[2] = pack.z, four[3] = pack.w;
        return;
    }
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        four[k] = s + k <= segments ? offsets[s + k] : 0xffffffff;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 8)
to_flags(const u32* __restrict__ offsets, u32 segments, u32* __restrict__ bits, size_t n) {
    __shared__ uint4 tile_of_packs[WORDS / 4];
    __shared__ u32 first_offset;
    u32* tile = reinterpret_cast<u32*>(tile_of_packs);
    // ANCHOR: tile
    size_t begin = size_t(blockIdx.x) * WORDS * 32, end = min(begin + WORDS * 32, n);
    if (warp_id() == 0) {
        u32 before = offsets_before(offsets, segments, u32(begin));
        if (lane_id() == 0) {
            first_offset = before;
        }
    }
    for (unsigned i = threadIdx.x; i < WORDS / 4; i += THREADS) {
        tile_of_packs[i] = uint4{0, 0, 0, 0};
    }
    __syncthreads();
    for (u32 s = first_offset / 4 * 4 + 4 * threadIdx.x; s <= segments; s += 4 * THREADS) {
        u32 four[4];
        load_four(four, offsets, s, segments);
#pragma unroll
        for (unsigned k = 0; k < 4; k++) {
            if (four[k] >= begin && four[k] < end) {
                u32 flag = u32(four[k] - begin);
                atomicOr(&tile[flag / 32], 1u << flag % 32);
            }
        }
        if (four[3] >= end) {
            break;
        }
    }
    __syncthreads();
    // ANCHOR_END: tile
    // ANCHOR: store
    size_t words = (n + 31) / 32, first_word = begin / 32;
    for (unsigned i = threadIdx.x; i < WORDS / 4; i += THREADS) {
        size_t word = first_word + 4 * i;
        if (word + 4 <= words) {
            reinterpret_cast<uint4*>(bits)[word / 4] = tile_of_packs[i];
        } else {
            for (unsigned k = 0; k < 4 && word + k < words; k++) {
                bits[word + k] = tile[4 * i + k];
            }
        }
    }
    // ANCHOR_END: store
}
