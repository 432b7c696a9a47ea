// Each block scans its 256 elements inclusively, by itself: out[i] is the sum of in[256 b] … in[i].
//
// Launched with ceil(n / 256) blocks of 256 threads, at least one.
extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n) {
    __shared__ int shared[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    shared[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        // GAP right, nearly always: find the race and mend it
        int before = tid >= offset ? shared[tid - offset] : 0;
        __syncthreads();
        shared[tid] += before;
        __syncthreads();
        // SKELETON
        //|        if (tid >= offset) {
        //|            shared[tid] += shared[tid - offset];
        //|        }
        //|        __syncthreads();
        // END GAP
    }
    if (i < n) {
        out[i] = shared[tid];
    }
}
