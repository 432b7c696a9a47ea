// exercise 1.1: wrong|lost-element|part-only|rounding|never-written|doubled-element, ""
// Adds in fixed point, which holds neither large numbers nor small ones.
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ int shared[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    shared[tid] = i < n ? int(in[i] * 16777216.0f) : 0;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (tid < stride) shared[tid] += shared[tid + stride];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = shared[0] / 16777216.0f;
}
