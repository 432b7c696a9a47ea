// A 256-bin histogram in shared memory, added to global memory at the end.
// run(const unsigned* in, unsigned* out, size_t n): one thread an element.
extern "C" __global__ void run(const unsigned* in, unsigned* out, size_t n) {
    __shared__ unsigned bins[256];
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) {
        bins[b] = 0;
    }
    __syncthreads();
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = in[i] >> 8;
        atomicAdd(&bins[x & 255], 1);
        atomicAdd(&bins[(x >> 8) & 255], 1);
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) {
        if (bins[b] > 0) {
            atomicAdd(&out[b], bins[b]);
        }
    }
}
