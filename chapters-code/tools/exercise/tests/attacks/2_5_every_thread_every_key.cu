// exercise 2.5: cost, "instructions"
// Every thread looks at every key: no counters, and much more work.
extern "C" __global__ void weigh(const unsigned* keys, const int* weights, int* counts, size_t n) {
    __shared__ unsigned k[256];
    __shared__ int w[256];
    __shared__ int part[256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    k[tid] = i < n ? keys[i] : 1000;
    w[tid] = i < n ? weights[i] : 0;
    __syncthreads();
    unsigned bin = tid % 64, from = tid / 64 * 64;
    int sum = 0;
    #pragma unroll
    for (unsigned j = 0; j < 64; j++) sum += k[from + j] == bin ? w[from + j] : 0;
    part[tid] = sum;
    __syncthreads();
    if (tid < 64) atomicAdd(&counts[tid], part[tid] + part[tid + 64] + part[tid + 128] + part[tid + 192]);
}
