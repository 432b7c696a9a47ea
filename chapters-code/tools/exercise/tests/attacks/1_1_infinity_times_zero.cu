// exercise 1.1: wrong, ""
// last element Inf and n no multiple of 256: Inf * 0 = NaN is added, sum must be Inf

extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float shared[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    float weight = i < n ? 1.0f : 0.0f;
    shared[tid] = n > 0 ? in[min(i, n - 1)] * weight : 0.0f;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (tid < stride) shared[tid] += shared[tid + stride];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = shared[0];
}
