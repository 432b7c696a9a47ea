// Hillis and Steele, and a carry in shared memory.
extern "C" __global__ void scan_segments(const int* in, const unsigned* offsets, int* out, unsigned segments) {
    __shared__ int words[256];
    __shared__ int carry;
    unsigned tid = threadIdx.x;
    if (blockIdx.x >= segments) return;
    unsigned end = offsets[blockIdx.x + 1];
    if (tid == 0) carry = 0;
    for (unsigned first = offsets[blockIdx.x]; first < end; first += 256) {
        unsigned i = first + tid;
        int x = i < end ? in[i] : 0;
        for (unsigned offset = 1; offset < 256; offset *= 2) {
            words[tid] = x;
            __syncthreads();
            if (tid >= offset) x += words[tid - offset];
            __syncthreads();
        }
        x += carry;
        if (i < end) out[i] = x;
        __syncthreads();
        if (tid == 255) carry = x;
        __syncthreads();
    }
}
