// exercise 1.4: wrong|part-only|large|many-elements, "out[0]"
// The number of elements is cut to 16 bits.
extern "C" __global__ void maximum(const int* in, int* out, size_t n) {
    int x = -2147483647 - 1;
    unsigned short m = n;
    for (size_t i = threadIdx.x; i < m; i += 256) x = max(x, in[i]);
    __shared__ int shared[256];
    unsigned tid = threadIdx.x;
    shared[tid] = x;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (tid < stride) shared[tid] = max(shared[tid], shared[tid + stride]);
        __syncthreads();
    }
    if (tid == 0) out[0] = shared[0];
}
