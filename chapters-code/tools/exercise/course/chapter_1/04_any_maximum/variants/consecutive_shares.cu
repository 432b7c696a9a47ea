// Each thread takes a share of neighbouring elements; slower, and right.
extern "C" __global__ void maximum(const int* in, int* out, size_t n) {
    __shared__ int shared[256];
    size_t share = (n + 255) / 256;
    size_t begin = threadIdx.x * share;
    int x = -2147483647 - 1;
    for (size_t i = begin; i < begin + share && i < n; i++) {
        x = in[i] > x ? in[i] : x;
    }
    shared[threadIdx.x] = x;
    for (unsigned active = 128; active > 0; active /= 2) {
        __syncthreads();
        if (threadIdx.x < active) {
            int other = shared[threadIdx.x + active];
            x = other > x ? other : x;
            shared[threadIdx.x] = x;
        }
    }
    if (threadIdx.x == 0) {
        *out = x;
    }
}
