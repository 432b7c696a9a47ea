// exercise 3.7: deadlock|endless|schedule|missing-fence|lost-update|time-limit, ""
// Waits until an output is no longer what was there before.
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
    __shared__ int before, poison;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int scanned = block_scan(i < n ? in[i] : 0);
    if (threadIdx.x == 255) {
        int b = 0;
        if (blockIdx.x > 0) {
            volatile int* last = out + size_t(blockIdx.x) * 256 - 1;
            while ((b = *last) == int(0xfbfbfbfbu)) { }
        }
        before = b;
        if (i < n) ((volatile int*)out)[i] = b + scanned;
    }
    __syncthreads();
    if (i < n && threadIdx.x < 255) out[i] = before + scanned;
}
extern "C" __global__ void scan_sums(int* sums, size_t n) { }
extern "C" __global__ void add_block_offsets(int* out, const int* sums, size_t n) { }
