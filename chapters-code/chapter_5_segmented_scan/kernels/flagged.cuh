// What the kernels of this chapter share: the operator on pairs of a head flag and a value, and the
// scan of a warp's pairs.
//
// A segment begins where an element's head flag is set. An entry point is called
// <kind>_<operator>_<dtype>, such as inclusive_sum_f32.
#pragma once
#include "../../chapter_3_scan/kernels/warp_scan.cuh"

// ANCHOR: pair
// The pair of consecutive elements: whether a segment begins in it, and the aggregate of its elements
// from the last beginning on, or of all of them.
template <typename T> struct Pair {
    T value;
    bool head;
};

// Associative for every associative Op. Its identity is {Op::identity(), false}.
template <typename Op, typename T> __device__ Pair<T> combine(Pair<T> a, Pair<T> b) {
    return {b.head ? b.value : Op::combine(a.value, b.value), a.head || b.head};
}
// ANCHOR_END: pair

// ANCHOR: heads
// The heads among a warp's lanes, each lane's own flag being given.
struct Heads {
    u32 lanes;            // those with a head
    u32 lanes_since_head; // how many lanes before this one are of its segment
    bool before;          // whether a head is in a lane before this one

    // All 32 lanes must make it together.
    __device__ explicit Heads(bool head) {
        u32 lower = (1u << lane_id()) - 1;
        lanes = __ballot_sync(ALL_LANES, head);
        before = (lanes & lower) != 0;
        u32 up_to_here = (lanes | 1) & (lower | 1u << lane_id());
        lanes_since_head = lane_id() - (31 - __clz(up_to_here));
    }
};
// ANCHOR_END: heads

// ANCHOR: segmented_warp_scan
// The inclusive segmented scan of a warp's values: shuffles carry no flags, since every lane knows how
// far back its segment begins. All 32 lanes must call it.
template <typename Op, typename T> __device__ T segmented_warp_scan(T x, const Heads& heads) {
#pragma unroll
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        T before = __shfl_up_sync(ALL_LANES, x, offset);
        if (heads.lanes_since_head >= offset) {
            x = Op::combine(before, x);
        }
    }
    return x;
}
// ANCHOR_END: segmented_warp_scan

// ANCHOR: scan_warps
// Given the pair of each warp, in any lane 31: what lies before the warp in its block, and the block's
// pair. All threads must call it, once; the block is a multiple of 32.
template <typename T> struct InBlock {
    Pair<T> before_warp, block;
};
template <typename Op, typename T>
__device__ InBlock<T> scan_warps(T* values, bool* heads, Pair<T> own) {
    if (lane_id() == 31) {
        values[warp_id()] = own.value;
        heads[warp_id()] = own.head;
    }
    __syncthreads();
    bool is_warp = lane_id() < blockDim.x / 32;
    Heads warps(is_warp && heads[lane_id()]);
    T scanned = segmented_warp_scan<Op>(is_warp ? values[lane_id()] : Op::identity(), warps);
    T open = __shfl_sync(ALL_LANES, before_lane<Op>(scanned), warp_id());
    bool begun = (warps.lanes & ((1u << warp_id()) - 1)) != 0;
    return {{open, begun}, {__shfl_sync(ALL_LANES, scanned, 31), warps.lanes != 0}};
}
// ANCHOR_END: scan_warps

// ---- Entry points ------------------------------------------------------------------------------

// Calls M(operator's name, operator, dtype) for the reductions that every rung provides. PTX is long, so
// few rungs provide more.
#define FOR_EVERY_SEGMENT_REDUCTION(M) M(sum, Sum, i64) M(sum, Sum, f32) M(max, Max, f32)
// The other reductions, which only the first rung provides.
#define FOR_OTHER_SEGMENT_REDUCTIONS(M) \
    M(sum, Sum, i32) M(sum, Sum, u32) M(sum, Sum, f64) M(max, Max, i32) M(max, Max, u32) \
    M(max, Max, i64) M(max, Max, f64) M(affine, Affine, i64)

// Calls M(kind, KIND, operator's name, operator, dtype) for the scans that every rung provides: sums, and
// affine maps, which the last rung lacks.
#define FOR_EVERY_SUM(M) BOTH_KINDS(M, sum, Sum, i64) BOTH_KINDS(M, sum, Sum, f32)
#define FOR_EVERY_SCAN(M) FOR_EVERY_SUM(M) BOTH_KINDS(M, affine, Affine, i64)
// The other scans of one kind. The first rung provides them for both kinds, the last one inclusive ones.
#define FOR_OTHER_SCANS(M, kind, KIND) \
    M(kind, KIND, sum, Sum, i32) M(kind, KIND, sum, Sum, u32) M(kind, KIND, sum, Sum, f64) \
    M(kind, KIND, max, Max, i32) M(kind, KIND, max, Max, u32) M(kind, KIND, max, Max, i64) \
    M(kind, KIND, max, Max, f32) M(kind, KIND, max, Max, f64)

// The signature of the kernels that are told where segments begin by offsets: segment s is
// [offsets[s], offsets[s + 1]). The file defines scan<KIND, Op, T>.
#define OFFSETS_KERNEL(kind, KIND, name, Op, dtype) \
    extern "C" __global__ void kind##_##name##_##dtype( \
        const dtype* __restrict__ in, dtype* __restrict__ out, \
        const u32* __restrict__ offsets, u32 segments) { \
        scan<Kind::KIND, Op<dtype>>(in, out, offsets, segments); \
    }

// What a block leaves to be scanned on the next level: its pair, and how many of its elements lie
// before its first head.
template <typename T> struct Aggregates {
    T* values;
    u8* heads;
    u32* reached;

    // For one thread of the block.
    __device__ void write(Pair<T> block, u32 block_reached) const {
        values[blockIdx.x] = block.value;
        heads[blockIdx.x] = block.head;
        reached[blockIdx.x] = block_reached;
    }
};

// The signature of the kernels that scan block by block, as if nothing came before a block. `Flags` is
// how they are given: u8 for one byte per element, u32 for 32 elements per word.
#define BLOCKS_KERNEL_OF(kind, KIND, name, Op, dtype, Flags) \
    extern "C" __global__ void LAUNCH_BOUNDS kind##_##name##_##dtype( \
        const dtype* __restrict__ in, const Flags* __restrict__ flags, dtype* __restrict__ out, \
        size_t n, dtype* __restrict__ values, u8* __restrict__ heads, u32* __restrict__ reached) { \
        scan<Kind::KIND, Op<dtype>, dtype>(in, flags, out, n, {values, heads, reached}); \
    }
#define BYTES_KERNEL(kind, KIND, name, Op, dtype) BLOCKS_KERNEL_OF(kind, KIND, name, Op, dtype, u8)
#define BITS_KERNEL(kind, KIND, name, Op, dtype) BLOCKS_KERNEL_OF(kind, KIND, name, Op, dtype, u32)
