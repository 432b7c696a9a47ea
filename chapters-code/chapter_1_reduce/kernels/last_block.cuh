// The finish that finish_last_block.cu introduces, for the kernels that come after it.
#pragma once
#include "block_reduce.cuh"

// Called by every thread of every block, with the block's fold in thread 0's x. The block that
// comes last folds all partials, in the order of the blocks, and writes out[0].
template <typename Op, typename A>
__device__ void finish_last_block(A x, A* out, A* partials, unsigned* counter) {
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

    x = Op::identity();
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
        x = Op::combine(x, partials[i]);
    }
    x = block_reduce<Op>(x);
    if (threadIdx.x == 0) {
        out[0] = x;
    }
}
