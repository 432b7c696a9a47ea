// The last warp reduces its registers directly, lane to lane.
//
// In grid_stride the last warp writes every intermediate result to shared memory and waits, twice a
// step, only so that a lane may read another's register. A shuffle reads that register: no shared
// memory, no __syncwarp (the shuffle itself waits for the lanes in its mask), five steps.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n)
// Launch: min(ceil(n / block), what the device holds at once) blocks (at least 1), block a power of
// two, 32 <= block <= 1024, dynamic shared memory block * sizeof(Acc). Writes out[b] for each block.
#include "operators.cuh"

// ANCHOR: warp_reduce
// The warp's aggregate, in lane 0. All 32 lanes must call it.
template <typename Op, typename A> __device__ A warp_reduce(A x) {
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x = Op::combine(x, __shfl_down_sync(0xffffffffu, x, offset));
    }
    return x;
}
// ANCHOR_END: warp_reduce

template <typename Op, typename T> __device__ void reduce(const T* in, Acc<T>* out, size_t n) {
    Acc<T>* shared = shared_array<Acc<T>>();
    unsigned tid = threadIdx.x;
    size_t grid = size_t(gridDim.x) * blockDim.x;
    Acc<T> x = Op::identity();
    for (size_t i = size_t(blockIdx.x) * blockDim.x + tid; i < n; i += grid) {
        x = Op::combine(x, widen(in[i]));
    }
    shared[tid] = x;
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride >= 32; stride /= 2) {
        if (tid < stride) {
            shared[tid] = Op::combine(shared[tid], shared[tid + stride]);
        }
        __syncthreads();
    }

    if (tid < 32) {
        x = warp_reduce<Op>(shared[tid]);
        if (tid == 0) {
            out[blockIdx.x] = x;
        }
    }
}

FOR_EVERY_REDUCTION(REDUCE_KERNEL)
