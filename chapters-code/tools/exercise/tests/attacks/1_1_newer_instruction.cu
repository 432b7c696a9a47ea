// exercise 1.1: module, "sm_80"
// An instruction that the declared target does not have.
extern "C" __global__ void block_sum(const float* in, float* out, size_t n) {
    __shared__ float shared[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    if (i < n) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(unsigned(__cvta_generic_to_shared(&shared[tid]))), "l"(__cvta_generic_to_global(in + i)) : "memory");
    else shared[tid] = 0.0f;
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) { if (tid < stride) shared[tid] += shared[tid + stride]; __syncthreads(); }
    if (tid == 0) out[blockIdx.x] = shared[0];
}
