// The tree halves the array: thread k adds the element half an array away.
//
// interleaved_strided had conflicts because neighbouring lanes read words 2, 4, 8, …
// apart. Halving the array from the top keeps them on neighbouring words, each in a bank of its
// own, and keeps the threads that add at the front.
//
// Invariant: before the step with stride s, the sum of shared[0 … 2s - 1] is that of the block.
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
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
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
