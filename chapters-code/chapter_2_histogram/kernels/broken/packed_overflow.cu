// BROKEN: two counters of 16 bits in a word.
//
// Half the shared memory, so twice the bins or the copies. But a counter of 16 bits holds 65,535, and
// one more carries into its neighbour: two bins are wrong, and no test with few keys notices.
// Caught by: the verdict, once a block counts 65,536 keys in one bin.
//
// Launch: one block, (bins.count + 4) / 2 * 4 bytes of dynamic shared memory.
#include "../histogram.cuh"

extern "C" __global__ void histogram_u32(const u32* __restrict__ in, u32* out, size_t n,
                                         Bins bins) {
    extern __shared__ u32 counters[];
    u32 total = bins.count + EXTRA;
    for (u32 w = threadIdx.x; w < (total + 1) / 2; w += blockDim.x) {
        counters[w] = 0;
    }
    __syncthreads();

    size_t grid = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        // ANCHOR: bug
        u32 c = min(in[i], bins.count);
        atomicAdd(&counters[c / 2], c % 2 == 0 ? 1 : 1 << 16);
        // ANCHOR_END: bug
    }
    __syncthreads();
    for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
        u32 pair = counters[c / 2];
        atomicAdd(&out[c], c % 2 == 0 ? pair & 0xffff : pair >> 16);
    }
}
