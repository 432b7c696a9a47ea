// redux.sync: one instruction reduces a warp's 32-bit integers.
// ptx: compute_80
//
// Five shuffles and five operations a warp become one instruction, on devices of compute capability
// 8.0 and above, for 32-bit integers. (For floats, Blackwell has minima and maxima of f32, an H200
// nothing.)
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n), op sum, max, min for i32 and u32, and, or for
// u32
// Launch: min(ceil(n / block), what the device holds at once) blocks (at least 1), block a multiple
// of 32 up to 1024, no dynamic shared memory. Writes out[b] for each block b.
#include "operators.cuh"

constexpr unsigned ALL_LANES = 0xffffffffu;

// ANCHOR: warp_reduce
template <typename A> __device__ A warp_reduce(Sum<A>, A x) {
    return __reduce_add_sync(ALL_LANES, x);
}
// ANCHOR_END: warp_reduce
template <typename A> __device__ A warp_reduce(Max<A>, A x) {
    return __reduce_max_sync(ALL_LANES, x);
}
template <typename A> __device__ A warp_reduce(Min<A>, A x) {
    return __reduce_min_sync(ALL_LANES, x);
}
__device__ u32 warp_reduce(And<u32>, u32 x) { return __reduce_and_sync(ALL_LANES, x); }
__device__ u32 warp_reduce(Or<u32>, u32 x) { return __reduce_or_sync(ALL_LANES, x); }

template <typename Op, typename T> __device__ void reduce(const T* in, Acc<T>* out, size_t n) {
    __shared__ T warps[32];
    unsigned lane = threadIdx.x % 32;
    unsigned warp = threadIdx.x / 32;
    size_t grid = size_t(gridDim.x) * blockDim.x;
    T x = Op::identity();
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        x = Op::combine(x, in[i]);
    }

    x = warp_reduce(Op(), x);
    if (lane == 0) {
        warps[warp] = x;
    }
    __syncthreads();
    if (warp == 0) {
        x = warp_reduce(Op(), lane < blockDim.x / 32 ? warps[lane] : Op::identity());
        if (lane == 0) {
            out[blockIdx.x] = x;
        }
    }
}

REDUCE_KERNEL(sum, Sum, i32)
REDUCE_KERNEL(sum, Sum, u32)
REDUCE_KERNEL(max, Max, i32)
REDUCE_KERNEL(max, Max, u32)
REDUCE_KERNEL(min, Min, i32)
REDUCE_KERNEL(min, Min, u32)
REDUCE_KERNEL(and, And, u32)
REDUCE_KERNEL(or, Or, u32)
