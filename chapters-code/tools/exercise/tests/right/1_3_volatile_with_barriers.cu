// exercise 1.3
// Harris' volatile steps, with a __syncwarp() before and behind each store.
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float shared[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    shared[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (tid < 128) shared[tid] += shared[tid + 128];
    __syncthreads();
    if (tid < 64) shared[tid] += shared[tid + 64];
    __syncthreads();
    if (tid < 32) {
        volatile float* words = shared;
        for (unsigned d = 32; d > 0; d /= 2) {
            float x = words[tid] + words[tid + d];
            __syncwarp();
            words[tid] = x;
            __syncwarp();
        }
        if (tid == 0) out[blockIdx.x] = words[0];
    }
}
