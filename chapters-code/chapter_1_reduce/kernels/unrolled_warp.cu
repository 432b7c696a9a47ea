// The last six steps, which one warp does alone, without a loop and without block-wide barriers.
//
// In first_add all warps of the block still meet at a barrier when only one has work left. From
// 64 values on, the first warp finishes by itself. Its lanes need not run in step, so each step
// still has to order its reads and writes: __syncwarp, not __syncthreads. (Leaving it out is the
// oldest bug in this ladder: broken/lockstep_warp.cu.)
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n)
// Launch: ceil(n / (2 * block)) blocks (at least 1), block a power of two, 64 <= block <= 1024,
// dynamic shared memory block * sizeof(Acc). Writes out[b] for each block b.
#include "operators.cuh"

// ANCHOR: warp_step
// Lane k of the warp reduces shared[k + stride] into x and publishes it. The upper lanes compute
// values that no lane reads: cheaper than a branch.
template <typename Op, typename A>
__device__ A warp_step(A* shared, unsigned lane, unsigned stride, A x) {
    x = Op::combine(x, shared[lane + stride]);
    __syncwarp(); // every lane has read before one writes
    shared[lane] = x;
    __syncwarp(); // every lane has written before one reads
    return x;
}
// ANCHOR_END: warp_step

template <typename Op, typename T> __device__ void reduce(const T* in, Acc<T>* out, size_t n) {
    Acc<T>* shared = shared_array<Acc<T>>();
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * (2 * blockDim.x) + tid;
    size_t j = i + blockDim.x;
    Acc<T> x = i < n ? widen(in[i]) : Op::identity();
    Acc<T> y = j < n ? widen(in[j]) : Op::identity();
    shared[tid] = Op::combine(x, y);
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (tid < stride) {
            shared[tid] = Op::combine(shared[tid], shared[tid + stride]);
        }
        __syncthreads();
    }

    // ANCHOR: last_warp
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
    // ANCHOR_END: last_warp
}

FOR_EVERY_REDUCTION(REDUCE_KERNEL)
