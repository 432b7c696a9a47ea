// Each block sums its 256 elements; the last six steps are one warp's, without block-wide barriers.
//
// Launched with ceil(n / 256) blocks of 256 threads, at least one.
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float shared[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    shared[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned stride = 128; stride > 32; stride /= 2) {
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
        __syncthreads();
    }
    if (tid < 32) {
        float x = shared[tid] + shared[tid + 32];
        for (unsigned offset = 16; offset > 0; offset /= 2) {
            x += __shfl_down_sync(0x0000ffffu, x, offset);
        }
        if (tid == 0) {
            shared[0] = x;
        }
    }
    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
