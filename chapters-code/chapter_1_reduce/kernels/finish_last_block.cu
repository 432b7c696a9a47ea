// Finishing across blocks, 3: whichever block comes last reduces the partials.
//
// One launch as with finish_atomic, but the partials are reduced in the order of the blocks,
// whichever block does it: the same result in every run. Each block writes its partial, then counts itself; the
// one whose count completes the grid knows that all partials are there. That holds only with a
// fence between the two writes: broken/last_block_without_fence.cu has none, and in last_block.cuh
// the atomic itself gives the order. atomicInc wraps to 0 at the limit it is given, so the counter
// is ready for the next launch without a memset.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n, Acc* partials, unsigned* counter)
// Launch: min(ceil(n / block), what the device holds at once) blocks (at least 1), block a multiple
// of 32 up to 1024, no dynamic shared memory. partials: one a block; counter: 0 before the first
// launch, and again after every launch. Launches on one counter must not overlap; after one that was
// stopped, the counter must be zeroed. Writes out[0].
#include "block_reduce.cuh"

template <typename Op, typename T>
__device__ void reduce(const T* in, Acc<T>* out, size_t n, Acc<T>* partials, unsigned* counter) {
    size_t grid = size_t(gridDim.x) * blockDim.x;
    Acc<T> x = Op::identity();
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        x = Op::combine(x, widen(in[i]));
    }
    x = block_reduce<Op>(x);

    // ANCHOR: last
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = x;
        __threadfence(); // the partial is visible before the count
        last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
        if (last) {
            __threadfence(); // the count is read before the partials
        }
    }
    __syncthreads();
    if (!last) {
        return;
    }
    // ANCHOR_END: last

    x = Op::identity();
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
        x = Op::combine(x, partials[i]);
    }
    x = block_reduce<Op>(x);
    if (threadIdx.x == 0) {
        out[0] = x;
    }
}

FOR_EVERY_REDUCTION(SINGLE_PASS_KERNEL)
