// exercise 4.4: part-only|lost-element|never-written, ""
// Bytes of 128 and more are negative.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    __shared__ unsigned count, begin;
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    if (tid == 0) count = 0;
    __syncthreads();
    unsigned flag = i < n && (signed char)mask[i] > 0;
    unsigned index = 0;
    if (flag) index = atomicAdd(&count, 1u);
    __syncthreads();
    if (tid == 0) begin = atomicAdd(selected, count);
    __syncthreads();
    if (flag) out[begin + index] = in[i];
}
