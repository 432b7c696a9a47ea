// exercise 1.4: identity|wrong, "out[0]"
// A number that is small, but not the least, is not the identity.
extern "C" __global__ void maximum(const int* in, int* out, size_t n) {
    int x = -1000000000;
    for (size_t i = threadIdx.x; i < n; i += 256) x = max(x, in[i]);
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
