// Indices by a scan of the flags; the thread behind the last element asks.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    __shared__ int stage[256];
    __shared__ unsigned folds[8], begin, total;
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    unsigned flag = 0;
    if (i < n) flag = mask[i] != 0;
    unsigned x = flag;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        unsigned other = __shfl_up_sync(~0u, x, offset);
        if (lane >= offset) x += other;
    }
    if (lane == 31) folds[warp] = x;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) x += folds[w];
    if (flag) stage[x - 1] = in[i];
    if (threadIdx.x == 255) {
        total = x;
        begin = atomicAdd(selected, x);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < total; k += blockDim.x) out[begin + k] = stage[k];
}
