// Many elements per thread: the grid is as large as the device, and strides over the input.
//
// unrolled launches a block for every 512 elements, and each pays for a tree of barriers to reduce
// two elements per thread. Here a thread first reduces its elements in a register, with neither barrier
// nor shared memory, so the tree's cost is spread over all of them, and there are few partials.
// Neighbouring lanes still read neighbouring elements in every turn of the loop.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n)
// Launch: min(ceil(n / 256), what the device holds at once) blocks (at least 1) of exactly 256
// threads, no dynamic shared memory. Writes out[b] for each block b.
#include "operators.cuh"

template <typename Op, typename A>
__device__ A warp_step(A* shared, unsigned lane, unsigned stride, A x) {
    x = Op::combine(x, shared[lane + stride]);
    __syncwarp();
    shared[lane] = x;
    __syncwarp();
    return x;
}

template <typename Op, unsigned stride, typename A>
__device__ void block_step(A* shared, unsigned tid) {
    if (tid < stride) {
        shared[tid] = Op::combine(shared[tid], shared[tid + stride]);
    }
    __syncthreads();
}

template <typename Op, unsigned block, typename T>
__device__ void reduce_block_of(const T* in, Acc<T>* out, size_t n) {
    __shared__ Acc<T> shared[block];
    unsigned tid = threadIdx.x;
    // ANCHOR: items
    Acc<T> x = Op::identity();
    for (size_t i = size_t(blockIdx.x) * block + tid; i < n; i += size_t(gridDim.x) * block) {
        x = Op::combine(x, widen(in[i]));
    }
    // ANCHOR_END: items
    shared[tid] = x;
    __syncthreads();

    if constexpr (block >= 1024) block_step<Op, 512>(shared, tid);
    if constexpr (block >= 512) block_step<Op, 256>(shared, tid);
    if constexpr (block >= 256) block_step<Op, 128>(shared, tid);
    if constexpr (block >= 128) block_step<Op, 64>(shared, tid);

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
