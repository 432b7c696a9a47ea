// exercise 4.4: out-of-bounds|never-written|truth-value|beside-output, ""
// The mask's byte is added as if it were 1.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    __shared__ unsigned count, begin;
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    if (tid == 0) count = 0;
    __syncthreads();
    unsigned flag = i < n ? mask[i] : 0;
    unsigned index = 0;
    if (flag) index = atomicAdd(&count, flag);
    __syncthreads();
    if (tid == 0) begin = atomicAdd(selected, count);
    __syncthreads();
    if (flag) out[begin + index] = in[i];
}
