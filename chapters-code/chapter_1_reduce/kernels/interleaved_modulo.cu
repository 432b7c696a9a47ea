// A tree in shared memory: in step k, every 2^k-th thread adds its neighbour at distance 2^(k-1).
//
// One thread made n - 1 additions one after another. Here log2 of the block's threads steps are enough. The
// threads that add are spread over all warps until the very end, so a warp runs each step for ever fewer
// of its lanes: 16 of 32, then 8, 4, 2, 1. The remainder costs a division, too.
//
// Invariant: before the step with stride s, shared[k * s] is the sum of the block's elements
// k * s … k * s + s - 1.
//
// Launch: ceil(n / block) blocks (at least 1), block a power of two <= 1024, dynamic shared memory
// block * sizeof(float). Writes out[b] for each block b.

// ANCHOR: kernel
extern "C" __global__ void sum_f32(const float* in, float* out, size_t n) {
    extern __shared__ float shared[];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    shared[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();

    // ANCHOR: steps
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0) {
            shared[tid] += shared[tid + stride];
        }
        __syncthreads();
    }
    // ANCHOR_END: steps

    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
// ANCHOR_END: kernel
