// exercise 1.1: cost, "bank conflicts"
// The array is folded in halves only where all blocks are full, and neighbour by neighbour otherwise.
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float shared[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    shared[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2) {
        unsigned stride = n % 256 ? step : 128 / step, at = n % 256 ? 2 * step * tid : tid;
        if (at + stride < 256 && (n % 256 || tid < stride)) shared[at] += shared[at + stride];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = shared[0];
}
