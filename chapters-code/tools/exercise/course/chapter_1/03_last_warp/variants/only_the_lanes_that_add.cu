// Six steps by hand; lanes that no longer add still wait.
#define STEP(stride)                                                                               \
    if (tid < (stride)) {                                                                          \
        shared[tid] = shared[tid] + shared[tid + (stride)];                                        \
    }                                                                                              \
    __syncwarp();

extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float shared[256];
    const unsigned tid = threadIdx.x;
    const size_t i = blockDim.x * (size_t)blockIdx.x + tid;
    shared[tid] = 0.0f;
    if (i < n) {
        shared[tid] = in[i];
    }
    for (unsigned stride = 128; stride >= 64; stride >>= 1) {
        __syncthreads();
        if (tid < stride) shared[tid] += shared[tid + stride];
    }
    __syncthreads();
    if (tid < 32) {
        STEP(32)
        STEP(16)
        STEP(8)
        STEP(4)
        STEP(2)
        STEP(1)
        if (tid == 0) out[blockIdx.x] = shared[0];
    }
}
