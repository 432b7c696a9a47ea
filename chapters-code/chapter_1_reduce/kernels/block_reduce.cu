// Shuffles first: every warp reduces itself, then the first warp reduces the warps' results.
//
// In shuffle most steps still go through shared memory and a barrier each. Here each warp shuffles
// its 32 values down to one, at most 32 of those meet in shared memory, and one more round of
// shuffles ends it: one barrier in all. PyTorch's BlockReduce has this shape, and a barrier in front,
// so that it may be called twice.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n)
// Launch: min(ceil(n / block), what the device holds at once) blocks (at least 1), block a multiple
// of 32 up to 1024, no dynamic shared memory. Writes out[b] for each block b.
#include "operators.cuh"

// The warp's aggregate, in lane 0. All 32 lanes must call it.
template <typename Op, typename A> __device__ A warp_reduce(A x) {
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x = Op::combine(x, __shfl_down_sync(0xffffffffu, x, offset));
    }
    return x;
}

// ANCHOR: block_reduce
// The block's aggregate, in thread 0. All threads must call it. A kernel that calls it twice needs a barrier
// between the calls: the first warp still reads `warps`.
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
// ANCHOR_END: block_reduce

template <typename Op, typename T> __device__ void reduce(const T* in, Acc<T>* out, size_t n) {
    size_t grid = size_t(gridDim.x) * blockDim.x;
    Acc<T> x = Op::identity();
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        x = Op::combine(x, widen(in[i]));
    }
    x = block_reduce<Op>(x);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = x;
    }
}

FOR_EVERY_REDUCTION(REDUCE_KERNEL)
