// The scans of a warp and of a block that shuffle.cu introduces, for the kernels that come after it.
#pragma once
#include "operators.cuh"

constexpr unsigned ALL_LANES = 0xffffffffu;

__device__ inline unsigned lane_id() { return threadIdx.x % 32; }
__device__ inline unsigned warp_id() { return threadIdx.x / 32; }

// ANCHOR: warp_scan
// The inclusive scan of a warp's values. All 32 lanes must call it.
template <typename Op, typename T> __device__ T warp_scan(T x) {
#pragma unroll
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        T before = __shfl_up_sync(ALL_LANES, x, offset);
        if (lane_id() >= offset) {
            x = Op::combine(before, x);
        }
    }
    return x;
}
// ANCHOR_END: warp_scan

// What comes before a lane, given the inclusive scan.
template <typename Op, typename T> __device__ T before_lane(T scanned) {
    T before = __shfl_up_sync(ALL_LANES, scanned, 1);
    return lane_id() > 0 ? before : Op::identity();
}

// Given each warp's aggregate, in any lane 31, what comes before the warp in its block, and the block's
// aggregate. All threads must call it, once; the block is a multiple of 32.
template <typename T> struct Before {
    T warp, block_aggregate;
};
template <typename Op, typename T> __device__ Before<T> scan_warps(T* aggregates, T own_aggregate) {
    if (lane_id() == 31) {
        aggregates[warp_id()] = own_aggregate;
    }
    __syncthreads();
    T x = lane_id() < blockDim.x / 32 ? aggregates[lane_id()] : Op::identity();
    T scanned = warp_scan<Op>(x);
    T before = __shfl_up_sync(ALL_LANES, scanned, 1);
    before = __shfl_sync(ALL_LANES, lane_id() > 0 ? before : Op::identity(), warp_id());
    return {before, __shfl_sync(ALL_LANES, scanned, 31)};
}
