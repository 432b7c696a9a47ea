// Each block sums its 256 elements: out[b] is the sum of in[256 b] … in[256 b + 255].
//
// Launched with ceil(n / 256) blocks of 256 threads, at least one; n is whatever it is.
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float shared[256];
    unsigned tid = threadIdx.x;
    // GAP load one element a thread, then fold the array in halves, then write the block's sum
    size_t i = size_t(blockIdx.x) * 256 + tid;
    shared[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
    // END GAP
}
