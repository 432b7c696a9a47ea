// Warps get their indices within the block by an atomic in shared memory: the order is lost within the block, too.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    __shared__ unsigned count, begin;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    bool select = i < n && mask[i];
    unsigned index = 0;
    if (select) index = atomicAdd(&count, 1u);
    __syncthreads();
    if (threadIdx.x == 0) begin = atomicAdd(selected, count);
    __syncthreads();
    if (select) out[begin + index] = in[i];
}
