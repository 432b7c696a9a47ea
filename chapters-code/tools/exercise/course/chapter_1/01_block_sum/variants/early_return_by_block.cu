// The block as an object, a while loop, and a last warp that waits for itself only.
struct Block {
    float words[256];
};

extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ Block block;
    int t = threadIdx.x;
    size_t first = size_t(256) * blockIdx.x;
    block.words[t] = first + t < n ? in[first + t] : 0.f;
    int active = 128;
    while (active >= 32) {
        __syncthreads();
        if (t < active) block.words[t] = block.words[t] + block.words[t + active];
        active >>= 1;
    }
    __syncthreads();
    if (t >= 32) return;
    volatile float* w = block.words;
    for (; active > 0; active >>= 1) {
        float other = w[t + active];
        __syncwarp();
        if (t < active) w[t] = w[t] + other;
        __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = block.words[0];
}
