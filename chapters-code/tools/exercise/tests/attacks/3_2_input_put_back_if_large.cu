// exercise 3.2: input-changed, "input"
// With many blocks each element of the input is written back as it is.
extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n) {
    __shared__ int shared[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    shared[tid] = i < n ? in[i] : 0;
    if (i < n && gridDim.x > 300) {
        volatile int* same = const_cast<int*>(in) + i;
        *same = shared[tid];
    }
    __syncthreads();
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        int before = tid >= offset ? shared[tid - offset] : 0;
        __syncthreads();
        shared[tid] += before;
        __syncthreads();
    }
    if (i < n) {
        out[i] = shared[tid];
    }
}
