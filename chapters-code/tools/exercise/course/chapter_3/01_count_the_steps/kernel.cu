// Each block scans its 256 elements, inclusively, with two buffers that take turns.
extern "C" __global__ void scan_block(const int* in, int* out) {
    __shared__ int buffers[2][256];
    unsigned tid = threadIdx.x;
    int* from = buffers[0];
    int* to = buffers[1];
    from[tid] = in[blockIdx.x * 256 + tid];
    __syncthreads();
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        int x = from[tid];
        if (tid >= offset) {
            x += from[tid - offset];
        }
        to[tid] = x;
        __syncthreads();
        int* free = from;
        from = to;
        to = free;
    }
    out[blockIdx.x * 256 + tid] = from[tid];
}
