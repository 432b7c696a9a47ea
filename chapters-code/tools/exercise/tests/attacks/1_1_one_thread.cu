// exercise 1.1: cost, "longest warp"
// One thread folds every block.
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (unsigned b = 0; b < gridDim.x; b++) {
        float sum = 0.0f;
        for (size_t i = size_t(b) * 256; i < n && i < size_t(b) * 256 + 256; i++) sum += in[i];
        out[b] = sum;
    }
}
