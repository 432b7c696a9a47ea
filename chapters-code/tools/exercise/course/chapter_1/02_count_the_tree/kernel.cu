// Each block sums its 256 elements: neighbouring threads work, on words that are ever further apart.
extern "C" __global__ void strided_sum(const float* in, float* out) {
    __shared__ float shared[256];
    unsigned tid = threadIdx.x;
    shared[tid] = in[blockIdx.x * 256 + tid];
    __syncthreads();
    for (unsigned stride = 1; stride < 256; stride *= 2) {
        unsigned k = 2 * stride * tid;
        if (k < 256) {
            shared[k] += shared[k + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
