// exercise 1.1: cost, "longest warp"
// One thread of each block folds what it loads itself.
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    if (threadIdx.x) return;
    float sum = 0.0f;
    for (size_t i = size_t(blockIdx.x) * 256; i < n && i < size_t(blockIdx.x) * 256 + 256; i++) sum += in[i];
    out[blockIdx.x] = sum;
}
