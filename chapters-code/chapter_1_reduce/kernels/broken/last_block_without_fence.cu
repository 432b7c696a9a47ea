// BROKEN: last block standing, with no fence between the partial and the count.
//
// Nothing orders the two writes: another block can see this one counted and still read an old
// partial from memory. Which writes overtake which depends on the hardware, so it runs right for
// years.
// Caught by: the race detector (global memory, between blocks, missing __threadfence); hardly ever
// by the verdict.
//
// sum_f32(const float* in, float* out, size_t n, float* partials, unsigned* counter)
// Launch: as finish_last_block.cu, block a power of two, dynamic shared memory
// block * sizeof(float).
__device__ float block_sum(float x) {
    extern __shared__ float shared[];
    shared[threadIdx.x] = x;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            shared[threadIdx.x] += shared[threadIdx.x + stride];
        }
        __syncthreads();
    }
    return shared[0];
}

extern "C" __global__ void sum_f32(const float* __restrict__ in, float* __restrict__ out, size_t n,
                                   float* partials, unsigned* counter) {
    size_t grid = size_t(gridDim.x) * blockDim.x;
    float x = 0.0f;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        x += in[i];
    }
    x = block_sum(x);

    __shared__ bool last;
    // ANCHOR: bug
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = x;
        // missing: __threadfence();
        last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    }
    // ANCHOR_END: bug
    __syncthreads();
    if (!last) {
        return;
    }

    x = 0.0f;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
        x += partials[i];
    }
    x = block_sum(x);
    if (threadIdx.x == 0) {
        out[0] = x;
    }
}
