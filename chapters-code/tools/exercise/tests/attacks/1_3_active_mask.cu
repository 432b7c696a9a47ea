// exercise 1.3: active-mask, "does not participate"
// The mask of the lanes that happen to be together, in straight code.
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float folds[8];
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    float x = i < n ? in[i] : 0.0f;
    for (unsigned offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(__activemask(), x, offset);
    if (threadIdx.x % 32 == 0) folds[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < 8; w++) x += folds[w];
        out[blockIdx.x] = x;
    }
}
