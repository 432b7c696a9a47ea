// The carry itself lies in shared memory, and the scan is of the sums one place before.
__device__ int block_scan(int x) {
    __shared__ int folds[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int other = __shfl_up_sync(0xffffffffu, x, offset);
        if (lane >= offset) x += other;
    }
    __syncthreads();
    if (lane == 31) folds[warp] = x;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) x += folds[w];
    return x;
}

extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n, int* sums) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    int y = block_scan(i < n ? in[i] : 0);
    if (i < n) out[i] = y;
    if (threadIdx.x + 1 == blockDim.x) sums[blockIdx.x] = y;
}

extern "C" __global__ void scan_sums(int* sums, size_t n) {
    __shared__ int carry;
    const size_t blocks = n / 256 + (n % 256 != 0);
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    for (size_t first = 0; first < blocks; first += blockDim.x) {
        size_t j = first + threadIdx.x;
        int x = j < blocks ? sums[j] : 0;
        int before = carry;
        int y = before + block_scan(x);
        if (j < blocks) sums[j] = y - x;
        if (threadIdx.x == blockDim.x - 1) carry = y;
        __syncthreads();
    }
}

extern "C" __global__ void add_block_offsets(int* out, const int* sums, size_t n) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (blockIdx.x == 0 || i >= n) return;
    out[i] += sums[blockIdx.x];
}
