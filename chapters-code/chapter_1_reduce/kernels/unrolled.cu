// Every step unrolled: the block size is a template parameter.
//
// unrolled_warp still keeps a loop counter and compares it, because the block size is known only
// at launch. As a constant of the template it settles every `if constexpr` while compiling, and
// what is left is a straight line of loads, operations and barriers. One instance serves one block
// size; these are for 256 threads.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n)
// Launch: ceil(n / 512) blocks (at least 1) of exactly 256 threads, no dynamic shared memory.
// Writes out[b] for each block b.
#include "operators.cuh"

template <typename Op, typename A>
__device__ A warp_step(A* shared, unsigned lane, unsigned stride, A x) {
    x = Op::combine(x, shared[lane + stride]);
    __syncwarp();
    shared[lane] = x;
    __syncwarp();
    return x;
}

// ANCHOR: block_step
template <typename Op, unsigned stride, typename A>
__device__ void block_step(A* shared, unsigned tid) {
    if (tid < stride) {
        shared[tid] = Op::combine(shared[tid], shared[tid + stride]);
    }
    __syncthreads();
}
// ANCHOR_END: block_step

template <typename Op, unsigned block, typename T>
__device__ void reduce_block_of(const T* in, Acc<T>* out, size_t n) {
    __shared__ Acc<T> shared[block];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * (2 * block) + tid;
    size_t j = i + block;
    Acc<T> x = i < n ? widen(in[i]) : Op::identity();
    Acc<T> y = j < n ? widen(in[j]) : Op::identity();
    shared[tid] = Op::combine(x, y);
    __syncthreads();

    // ANCHOR: steps
    if constexpr (block >= 1024) block_step<Op, 512>(shared, tid);
    if constexpr (block >= 512) block_step<Op, 256>(shared, tid);
    if constexpr (block >= 256) block_step<Op, 128>(shared, tid);
    if constexpr (block >= 128) block_step<Op, 64>(shared, tid);
    // ANCHOR_END: steps

    if (tid < 32) {
        x = shared[tid];
        x = warp_step<Op>(shared, tid, 32, x);
        x = warp_step<Op>(shared, tid, 16, x);
        x = warp_step<Op>(shared, tid, 8, x);
        x = warp_step<Op>(shared, tid, 4, x);
        x = warp_step<Op>(shared, tid, 2, x);
        x = warp_step<Op>(shared, tid, 1, x);
        if (tid == 0) {
            out[blockIdx.x] = x;
        }
    }
}

template <typename Op, typename T> __device__ void reduce(const T* in, Acc<T>* out, size_t n) {
    reduce_block_of<Op, 256>(in, out, n);
}

FOR_EVERY_REDUCTION(REDUCE_KERNEL)
