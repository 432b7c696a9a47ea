// Broken: Hillis and Steele's scan in one buffer. A thread may read what lies 2^k before after that
// thread has already overwritten it with its own step's result.
//
// <kind>_<op>_<dtype>, launch and results as hillis_steele.cu, with half of its shared memory.
#include "../operators.cuh"

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, T* sums) {
    T* shared = shared_array<T>();
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    shared[tid] = i < n ? in[i] : Op::identity();
    __syncthreads();
    // ANCHOR: steps
    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        if (tid >= offset) {
            shared[tid] = Op::combine(shared[tid - offset], shared[tid]);
        }
        __syncthreads();
    }
    // ANCHOR_END: steps
    if (i < n) {
        bool before = KIND == Kind::Exclusive;
        out[i] = !before ? shared[tid] : tid > 0 ? shared[tid - 1] : Op::identity();
    }
    if (tid == blockDim.x - 1) {
        sums[blockIdx.x] = shared[tid];
    }
}

BOTH_KINDS(BLOCKS_KERNEL, sum, Sum, f32)
