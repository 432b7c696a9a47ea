// BROKEN: the last warp unrolled with neither __syncwarp nor volatile.
//
// Two bugs. The lanes of a warp need not run in step (they have not had to since Volta). And the
// compiler sees that warp[tid] and warp[tid + 16] are different words, so it may move the
// loads before the stores of the line above: then a lane reads what its neighbour had before that
// step, on any hardware.
// Caught by: the race detector (same warp, missing __syncwarp), and, where the compiler moved the
// loads, by the verdict.
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

    if (tid < 32) {
        float* warp = shared;
        warp[tid] += warp[tid + 32];
        warp[tid] += warp[tid + 16];
        warp[tid] += warp[tid + 8];
        warp[tid] += warp[tid + 4];
        warp[tid] += warp[tid + 2];
        warp[tid] += warp[tid + 1];
    }

    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
