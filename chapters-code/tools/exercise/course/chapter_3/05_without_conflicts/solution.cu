// Each block scans its 512 elements exclusively, by itself: up a tree of sums, and down again with prefixes.
//
// Launched with ceil(n / 512) blocks of 256 threads, at least one.

// GAP the word in which element i lies; then use it wherever the tree is touched
constexpr __device__ unsigned at(unsigned i) {
    return i + i / 32;
}
// SKELETON
//|constexpr __device__ unsigned at(unsigned i) {
//|    return i;
//|}
// END GAP

extern "C" __global__ void scan_blocks(const int* in, int* out, size_t n) {
    // GAP room for 512 elements
    __shared__ int tree[at(512)];
    // SKELETON
    //|    __shared__ int tree[512];
    // END GAP
    unsigned tid = threadIdx.x;
    size_t first = size_t(blockIdx.x) * 512;
    for (unsigned j = tid; j < 512; j += 256) {
        tree[at(j)] = first + j < n ? in[first + j] : 0;
    }
    for (unsigned stride = 1; stride < 512; stride *= 2) {
        __syncthreads();
        unsigned right = 2 * stride * (tid + 1) - 1;
        if (right < 512) {
            tree[at(right)] += tree[at(right - stride)];
        }
    }
    __syncthreads();
    if (tid == 0) {
        tree[at(511)] = 0;
    }
    for (unsigned stride = 256; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned right = 2 * stride * (tid + 1) - 1;
        if (right < 512) {
            int left = tree[at(right - stride)];
            tree[at(right - stride)] = tree[at(right)];
            tree[at(right)] += left;
        }
    }
    __syncthreads();
    for (unsigned j = tid; j < 512; j += 256) {
        if (first + j < n) {
            out[first + j] = tree[at(j)];
        }
    }
}
