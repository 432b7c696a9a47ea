// A scan of the flags, and the last thread asks.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    __shared__ unsigned words[256];
    __shared__ unsigned begin;
    const unsigned tid = threadIdx.x;
    const size_t i = blockIdx.x * size_t(blockDim.x) + tid;
    unsigned flag = 0;
    if (i < n) flag = mask[i] != 0;
    unsigned x = flag;
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        words[tid] = x;
        __syncthreads();
        if (tid >= offset) x += words[tid - offset];
        __syncthreads();
    }
    if (tid == 255 && x > 0) begin = atomicAdd(selected, x);
    __syncthreads();
    if (flag) out[begin + x - 1] = in[i];
}
