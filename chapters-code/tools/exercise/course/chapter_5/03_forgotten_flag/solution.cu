// The segmented scan of each block of 256 elements by itself: out[i] is the sum from the head of i's segment, or from the block's
// first element, to in[i].
//
// Launched with ceil(n / 256) blocks of 256 threads, at least one. flags[i] is 1 where a segment begins.
struct Pair {
    int value;
    bool head;
};

// What two stretches come to, one behind the other.
__device__ Pair combine(Pair first, Pair then) {
    Pair both;
    // GAP one of these two lines is wrong
    both.value = then.head ? then.value : first.value + then.value;
    both.head = first.head || then.head;
    // SKELETON
    //|    both.value = then.head ? then.value : first.value + then.value;
    //|    both.head = then.head;
    // END GAP
    return both;
}

extern "C" __global__ void scan_blocks(const int* in, const unsigned char* flags, int* out, size_t n) {
    __shared__ Pair buffers[2][256];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    Pair* from = buffers[0];
    Pair* to = buffers[1];
    Pair x = {0, false};
    if (i < n) {
        x.value = in[i];
        x.head = flags[i] != 0;
    }
    from[tid] = x;
    __syncthreads();
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        x = from[tid];
        if (tid >= offset) {
            x = combine(from[tid - offset], x);
        }
        to[tid] = x;
        __syncthreads();
        Pair* free = from;
        from = to;
        to = free;
    }
    if (i < n) {
        out[i] = from[tid].value;
    }
}
