// The block-wide aggregate that block_reduce.cu introduces, for the kernels that come after it.
#pragma once
#include "operators.cuh"

// The warp's aggregate, in lane 0. All 32 lanes must call it.
template <typename Op, typename A> __device__ A warp_reduce(A x) {
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x = Op::combine(x, __shfl_down_sync(0xffffffffu, x, offset));
    }
    return x;
}

// The block's aggregate, in thread 0. All threads must call it; the block is a multiple of 32. A kernel
// that calls it twice needs a barrier between the calls: the first warp still reads `warps`.
template <typename Op, typename A> __device__ A block_reduce(A x) {
    __shared__ A warps[32];
    unsigned lane = threadIdx.x % 32;
    unsigned warp = threadIdx.x / 32;
    x = warp_reduce<Op>(x);
    if (lane == 0) {
        warps[warp] = x;
    }
    __syncthreads();
    if (warp == 0) {
        x = lane < blockDim.x / 32 ? warps[lane] : Op::identity();
        x = warp_reduce<Op>(x);
    }
    return x;
}
