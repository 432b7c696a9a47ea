// A warp scans the blocks' pairs, 32 of them in a round.
extern "C" __global__ void scan_blocks(const int* in, const unsigned char* flags, int* out, size_t n, int* sums,
                                       unsigned* reached) {
    __shared__ int values[256];
    __shared__ int places[256];
    int t = threadIdx.x;
    size_t i = blockIdx.x * size_t(blockDim.x) + t;
    int x = i < n ? in[i] : 0, place = i < n && flags[i] ? t : -1;
    int head = place;
    for (int offset = 1; offset < 256; offset *= 2) {
        places[t] = head;
        __syncthreads();
        if (t >= offset) head = max(head, places[t - offset]);
        __syncthreads();
    }
    for (int offset = 1; offset < 256; offset *= 2) {
        values[t] = x;
        __syncthreads();
        if (t - offset >= max(head, 0)) x += values[t - offset];
        __syncthreads();
    }
    if (i < n) out[i] = x;
    int block_reached = __syncthreads_count(head < 0 && i < n);
    if (t == 255) {
        sums[blockIdx.x] = x;
        reached[blockIdx.x] = block_reached;
    }
}

extern "C" __global__ void scan_sums(int* sums, const unsigned* reached, size_t n) {
    size_t blocks = (n + 255) / 256;
    unsigned lane = threadIdx.x;
    int carry = 0;
    for (size_t first = 0; first < blocks; first += 32) {
        size_t b = first + lane;
        int value = b < blocks ? sums[b] : 0;
        bool head = b < blocks && reached[b] < 256;
        for (unsigned offset = 1; offset < 32; offset *= 2) {
            int other = __shfl_up_sync(~0u, value, offset);
            bool closed = __shfl_up_sync(~0u, head, offset);
            if (lane >= offset) {
                if (!head) value += other;
                head |= closed;
            }
        }
        if (!head) value += carry;
        int before = __shfl_up_sync(~0u, value, 1);
        if (b < blocks) sums[b] = lane == 0 ? carry : before;
        carry = __shfl_sync(~0u, value, 31);
    }
}

extern "C" __global__ void add_block_offsets(int* out, const int* sums, const unsigned* reached, size_t n) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (threadIdx.x >= reached[blockIdx.x] || i >= n) return;
    out[i] = sums[blockIdx.x] + out[i];
}
