// The same tree, with the work given to the first threads.
//
// In interleaved_mask every warp stays busy with few lanes. Here thread k does the work of thread
// 2 * stride * k, so the threads that add are the first ones, and whole warps fall idle instead. The
// price: neighbouring lanes are now 2 * stride words apart in shared memory, in ever fewer of
// its 32 banks, and lanes that meet in a bank wait for each other.
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
        unsigned k = 2 * stride * tid;
        if (k < blockDim.x) {
            shared[k] += shared[k + stride];
        }
        __syncthreads();
    }
    // ANCHOR_END: steps

    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
// ANCHOR_END: kernel
