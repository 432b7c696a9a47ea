// No word wasted: the words of a row of 32 change places, by the row's number.
__device__ unsigned at(unsigned i) {
    return i ^ (i / 32 % 32);
}

extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n) {
    __shared__ int tree[512];
    unsigned tid = threadIdx.x;
    size_t first = size_t(blockIdx.x) * 512;
    for (unsigned j = tid; j < 512; j += 256) tree[at(j)] = first + j < n ? in[first + j] : 0;
    for (unsigned stride = 1; stride < 512; stride *= 2) {
        __syncthreads();
        unsigned right = 2 * stride * (tid + 1) - 1;
        if (right < 512) tree[at(right)] += tree[at(right - stride)];
    }
    __syncthreads();
    if (tid == 0) tree[at(511)] = 0;
    for (unsigned stride = 256; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned right = 2 * stride * (tid + 1) - 1;
        if (right < 512) {
            int left = tree[at(right - stride)], mine = tree[at(right)];
            tree[at(right - stride)] = mine;
            tree[at(right)] = mine + left;
        }
    }
    __syncthreads();
    for (unsigned j = tid; j < 512; j += 256) {
        if (first + j < n) out[first + j] = tree[at(j)];
    }
}
