// BROKEN: the last warp unrolled as published in 2007, with volatile and no __syncwarp.
//
// volatile keeps the compiler from moving the loads, and does nothing about the lanes: since Volta
// each has its own program counter, and lane 16 may run ahead and overwrite what lane 0 is about to
// read. Mostly right on today's hardware, which is why it is still being copied.
// Caught by: the race detector (same warp, missing __syncwarp); the verdict mostly passes.
//
// sum_f32(const float* in, float* out, size_t n)
// Launch: as unrolled_warp.cu.
extern "C" __global__ void sum_f32(const float* __restrict__ in, float* __restrict__ out,
                                   size_t n) {
    extern __shared__ float shared[];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * (2 * blockDim.x) + tid;
    size_t j = i + blockDim.x;
    shared[tid] = (i < n ? in[i] : 0.0f) + (j < n ? in[j] : 0.0f);
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
        __syncthreads();
    }

    // ANCHOR: bug
    if (tid < 32) {
        volatile float* warp = shared;
        warp[tid] += warp[tid + 32];
        warp[tid] += warp[tid + 16];
        warp[tid] += warp[tid + 8];
        warp[tid] += warp[tid + 4];
        warp[tid] += warp[tid + 2];
        warp[tid] += warp[tid + 1];
    }
    // ANCHOR_END: bug

    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
