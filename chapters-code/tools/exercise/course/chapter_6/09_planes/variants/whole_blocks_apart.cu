// Whole blocks are loaded by words, the last one by bytes.
extern "C" __global__ void planes(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                                  size_t n) {
    __shared__ alignas(4) unsigned char tile[768];
    const size_t first = 256ull * blockIdx.x;
    const unsigned char* from = in + 3 * first;
    if (first + 256 <= n) {
        for (unsigned w = threadIdx.x; w < 192; w += 256) ((unsigned*)tile)[w] = ((const unsigned*)from)[w];
    } else {
        for (unsigned b = threadIdx.x; 3 * first + b < 3 * n; b += 256) tile[b] = from[b];
    }
    __syncthreads();
    const size_t i = first + threadIdx.x;
    if (i >= n) return;
    out[i] = tile[3 * threadIdx.x];
    out[n + i] = tile[3 * threadIdx.x + 1];
    out[2 * n + i] = tile[3 * threadIdx.x + 2];
}
