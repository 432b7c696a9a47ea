// exercise 3.7: many-elements|never-written|block-offset|later-block|many-blocks|out-of-bounds|previous-block|uninitialised, ""
// scan_sums has room for 24 sums a thread.
__device__ int block_scan(int x) {
    __shared__ int words[256];
    unsigned tid = threadIdx.x;
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        __syncthreads();
        words[tid] = x;
        __syncthreads();
        x += tid >= offset ? words[tid - offset] : 0;
    }
    __syncthreads();
    return x;
}
extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n, int* sums) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int scanned = block_scan(i < n ? in[i] : 0);
    if (i < n) out[i] = scanned;
    if (threadIdx.x == 255) sums[blockIdx.x] = scanned;
}
extern "C" __global__ void scan_sums(int* sums, size_t n) {
    size_t blocks = (n + 255) / 256;
    int x[24], sum = 0;
    for (int k = 0; k < 24; k++) { size_t j = threadIdx.x * 24 + k; x[k] = j < blocks ? sums[j] : 0; sum += x[k]; }
    int before = block_scan(sum) - sum;
    for (int k = 0; k < 24; k++) { size_t j = threadIdx.x * 24 + k; if (j < blocks) sums[j] = before; before += x[k]; }
}
extern "C" __global__ void add_block_offsets(int* out, const int* sums, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < n) out[i] = sums[blockIdx.x] + out[i];
}
