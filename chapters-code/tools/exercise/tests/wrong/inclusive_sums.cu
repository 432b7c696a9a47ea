// The inclusive scan of n numbers in three launches.
//
// scan_blocks and add_block_offsets are launched with ceil(n / 256) blocks of 256 threads, at least one; scan_sums with one block of
// 256 threads. sums has room for one number a block.

// The inclusive scan of what the 256 threads of a block bring. All must call it; it begins and ends with a barrier.
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
    if (i < n) {
        out[i] = scanned;
    }
    if (threadIdx.x == 255) {
        sums[blockIdx.x] = scanned;
    }
}

extern "C" __global__ void scan_sums(int* sums, size_t n) {
    __shared__ int total;
    size_t blocks = (n + 255) / 256;
    int carry = 0;
    for (size_t first = 0; first < blocks; first += 256) {
        size_t j = first + threadIdx.x;
        int x = j < blocks ? sums[j] : 0;
        int scanned = block_scan(x);
        if (j < blocks) {
            sums[j] = carry + scanned;
        }
        if (threadIdx.x == 255) {
            total = scanned;
        }
        __syncthreads();
        carry += total;
        __syncthreads();
    }
}

extern "C" __global__ void add_block_offsets(int* out, const int* sums, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < n) {
        out[i] = sums[blockIdx.x] + out[i];
    }
}
