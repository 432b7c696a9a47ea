// Hillis and Steele's scan of a block: log2 B steps, in which every thread adds what lies 2^k before.
//
// Step k reads what step k - 1 wrote and writes elsewhere: with two buffers that take turns, a step
// needs one barrier.
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, size_t n, dtype* sums)
// Launch: ceil(n / block) blocks (at least 1), block up to 1024, dynamic shared memory
// 2 * block * sizeof(dtype). Block b writes the scan of its block elements, and their aggregate to sums[b].
#include "operators.cuh"

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, T* sums) {
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    // ANCHOR: steps
    T* from = shared_array<T>();
    T* to = from + blockDim.x;
    from[tid] = i < n ? in[i] : Op::identity();
    __syncthreads();
    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        T x = from[tid];
        to[tid] = tid >= offset ? Op::combine(from[tid - offset], x) : x;
        __syncthreads();
        T* free = from;
        from = to;
        to = free;
    }
    // ANCHOR_END: steps
    if (i < n) {
        bool before = KIND == Kind::Exclusive;
        out[i] = !before ? from[tid] : tid > 0 ? from[tid - 1] : Op::identity();
    }
    if (tid == blockDim.x - 1) {
        sums[blockIdx.x] = from[tid];
    }
}

FOR_EVERY_RUNG(BLOCKS_KERNEL)
// The aggregates of blocks are scanned in the same way, but exclusively.
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, u32)
BLOCKS_KERNEL(exclusive, Exclusive, sum, Sum, f64)
BLOCKS_KERNEL(exclusive, Exclusive, max, Max, i32)
