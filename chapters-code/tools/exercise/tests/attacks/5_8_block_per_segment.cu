// exercise 5.8: cost|endless, ""
// A block per segment: balanced for one long segment, and not for many empty ones.
extern "C" __global__ void walk(const int* in, const unsigned* offsets, int* out, unsigned n, unsigned segments, int* open, unsigned* ended) {
    __shared__ int sums[4];
    for (unsigned s = blockIdx.x; s < segments; s += 16) {
        int sum = 0;
        for (unsigned i = offsets[s] + threadIdx.x; i < offsets[s + 1]; i += 128) sum += in[i];
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x == 0) out[s] = sums[0] + sums[1] + sums[2] + sums[3];
        __syncthreads();
    }
}

extern "C" __global__ void join(int* out, unsigned segments, const int* open, const unsigned* ended) {
}
