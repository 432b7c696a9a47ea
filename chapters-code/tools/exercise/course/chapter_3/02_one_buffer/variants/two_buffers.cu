// Two arrays that take turns: one barrier a step.
extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n) {
    __shared__ int buffers[2][256];
    const unsigned tid = threadIdx.x;
    const size_t i = blockIdx.x * size_t(blockDim.x) + tid;
    int from = 0;
    buffers[0][tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned offset = 1; offset < 256; offset <<= 1) {
        int x = buffers[from][tid];
        if (tid >= offset) x += buffers[from][tid - offset];
        buffers[from ^ 1][tid] = x;
        __syncthreads();
        from ^= 1;
    }
    if (i < n) out[i] = buffers[from][tid];
}
