// exercise 1.6
#include <cuda/atomic>
// RIGHT: cuda::atomic_ref with acquire and release.
extern "C" __global__ void sum(const int* in, int* out, size_t n, int* partials, unsigned* counter) {
    __shared__ int shared[256];
    __shared__ bool last;
    unsigned tid = threadIdx.x;
    int x = 0;
    for (size_t i = size_t(blockIdx.x) * 256 + tid; i < n; i += size_t(gridDim.x) * 256) x += in[i];
    shared[tid] = x;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) { if (tid < stride) shared[tid] += shared[tid + stride]; __syncthreads(); }
    if (tid == 0) {
        partials[blockIdx.x] = shared[0];
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> c(*counter);
        last = c.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
        if (last) { int s = 0; for (unsigned b = 0; b < gridDim.x; b++) s += partials[b]; *out = s; }
    }
}
