// exercise 1.1: module|compile, "sm_80"
// A reduction of a warp that the declared target does not have.
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float shared[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    shared[tid] = i < n ? in[i] : 0.0f;
    int some;
    asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(some) : "r"(int(i < n)));
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (tid < stride && some >= 0) {
            shared[tid] += shared[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
