// Finishing across blocks, 1: a second kernel of one block reduces the partials.
//
// Blocks of one launch cannot wait for each other, but kernels of one stream run one after
// another: the end of a kernel is a barrier for the whole grid. It costs a launch, and one
// block has to read all partials, so it suits grids whose size does not grow with n.
//
// <op>_<dtype>(const dtype* partials, Acc* out, size_t count), with the accumulator's dtype
// Launch: 1 block, a multiple of 32 up to 1024 threads, no dynamic shared memory. Writes out[0].
#include "block_reduce.cuh"

template <typename Op, typename T>
__device__ void reduce(const T* partials, Acc<T>* out, size_t count) {
    Acc<T> x = Op::identity();
    for (size_t i = threadIdx.x; i < count; i += blockDim.x) {
        x = Op::combine(x, widen(partials[i]));
    }
    x = block_reduce<Op>(x);
    if (threadIdx.x == 0) {
        out[0] = x;
    }
}

FOR_EVERY_REDUCTION(REDUCE_KERNEL)
