// The carry is a word that the last thread writes.
__device__ void scan_round(int* words) {
    unsigned tid = threadIdx.x;
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        __syncthreads();
        int before = tid >= offset ? words[tid - offset] : (int)0x80000000;
        __syncthreads();
        words[tid] = max(words[tid], before);
    }
    __syncthreads();
}

extern "C" __global__ void scan_max(const int* in, int* out, size_t n) {
    __shared__ int words[256];
    __shared__ int carry;
    unsigned tid = threadIdx.x;
    const int LOWEST = 0x80000000;
    if (tid == 0) carry = LOWEST;
    for (size_t first = 0; first < n; first += 256) {
        const size_t i = first + tid;
        words[tid] = i < n ? in[i] : LOWEST;
        scan_round(words);
        int all = max(carry, words[tid]);
        int before = tid > 0 ? max(carry, words[tid - 1]) : carry;
        if (i < n) out[i] = before;
        __syncthreads();
        if (tid == 255) carry = all;
    }
}
