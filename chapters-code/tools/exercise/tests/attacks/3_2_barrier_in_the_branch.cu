// exercise 3.2: divergent-barrier, ""
// Threads without a partner pass no barrier.
extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n) {
    __shared__ int words[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    words[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        int x = words[tid];
        if (tid >= offset) {
            x += words[tid - offset];
            __syncthreads();
        }
        words[tid] = x;
        __syncthreads();
    }
    if (i < n) out[i] = words[tid];
}
