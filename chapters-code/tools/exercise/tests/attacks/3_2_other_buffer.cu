// exercise 3.2: lost-element|wrong|part-only, ""
// GPU Gems 3, example 39-2: the sum is added to what the other buffer held.
extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n) {
    __shared__ int buffers[2][256];
    unsigned tid = threadIdx.x, to = 0;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    buffers[0][tid] = i < n ? in[i] : 0;
    buffers[1][tid] = 0;
    __syncthreads();
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        to = 1 - to;
        if (tid >= offset) {
            buffers[to][tid] += buffers[1 - to][tid - offset];
        } else {
            buffers[to][tid] = buffers[1 - to][tid];
        }
        __syncthreads();
    }
    if (i < n) out[i] = buffers[to][tid];
}
