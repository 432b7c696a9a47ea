// The same tree, with a mask in place of the remainder.
//
// interleaved_modulo divides in every step to find out whether a thread has work. A power of two needs
// no division: the low bits of the thread index are the remainder. The warps diverge as before.
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
        if ((tid & (2 * stride - 1)) == 0) {
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
