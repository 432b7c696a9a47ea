// The inclusive segmented scan of n numbers in three launches.
//
// scan_blocks and add_block_offsets are launched with ceil(n / 256) blocks of 256 threads, at least one; scan_sums with one warp. sums
// and reached have room for one number a block. flags[i] is 1 where a segment begins.

extern "C" __global__ void scan_blocks(const int* in, const unsigned char* flags, int* out, size_t n, int* sums,
                                       unsigned* reached) {
    __shared__ int values[2][256];
    __shared__ bool heads[2][256];
    unsigned tid = threadIdx.x, from = 0;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    values[0][tid] = i < n ? in[i] : 0;
    heads[0][tid] = i < n && flags[i] != 0;
    __syncthreads();
    for (unsigned offset = 1; offset < 256; offset *= 2, from ^= 1) {
        int value = values[from][tid];
        bool head = heads[from][tid];
        if (tid >= offset) {
            value += head ? 0 : values[from][tid - offset];
            head = head || heads[from][tid - offset];
        }
        values[from ^ 1][tid] = value;
        heads[from ^ 1][tid] = head;
        __syncthreads();
    }
    if (i < n) {
        out[i] = values[from][tid];
    }
    // heads[from][tid] now says whether there is a head up to here.
    unsigned before_heads = __syncthreads_count(i < n && !heads[from][tid]);
    if (tid == 255) {
        sums[blockIdx.x] = values[from][tid];
        reached[blockIdx.x] = before_heads;
    }
}

extern "C" __global__ void scan_sums(int* sums, const unsigned* reached, size_t n) {
    // GAP sums[b] becomes what is open before block b
    if (threadIdx.x > 0) {
        return;
    }
    int before = 0;
    for (size_t b = 0; b * 256 < n; b++) {
        int sum = sums[b];
        sums[b] = before;
        bool has_head = reached[b] < 256;
        before = has_head ? sum : before + sum;
    }
    // END GAP
}

extern "C" __global__ void add_block_offsets(int* out, const int* sums, const unsigned* reached, size_t n) {
    // GAP put what is open before the block before those of its elements that it reaches
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < n && threadIdx.x < reached[blockIdx.x]) {
        out[i] += sums[blockIdx.x];
    }
    // END GAP
}
