// The finish that finish_last_block.cu introduces, for the kernels that come after it, with less to
// wait for.
#pragma once
#include "block_reduce.cuh"

// Counts the block, and says whether it is the last. The atomic itself carries the order that
// finish_last_block.cu gets from two fences: released, the partial is visible before the count;
// acquired, the count is read before the partials. __threadfence() promises more, one order of all
// fences on the device (PTX's fence.sc), and is slower. Everybody waits for the last block.
__device__ inline bool count_block(unsigned* counter) {
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global(counter)), "r"(gridDim.x - 1)
                 : "memory");
    return before == gridDim.x - 1;
}

// Called by every thread of every block, with the block's aggregate in thread 0's x. The block that
// comes last reduces all partials, in the order of the blocks, and writes out[0]. A block that is
// alone has the result already.
template <typename Op, typename A>
__device__ void finish_last_block(A x, A* out, A* partials, unsigned* counter) {
    if (gridDim.x > 1) {
        __shared__ bool last;
        if (threadIdx.x == 0) {
            partials[blockIdx.x] = x;
            last = count_block(counter);
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
    }
    if (threadIdx.x == 0) {
        out[0] = x;
    }
}
