// Broken: Hillis and Steele's scan of pairs in one buffer. A thread may read what lies 2^k before after
// that thread has already overwritten it with its own step's result, or between its value and its flag.
//
// inclusive_sum_f32, launch and results as hillis_steele.cu.
#include "../flagged.cuh"

extern "C" __global__ void inclusive_sum_f32(const f32* __restrict__ in,
                                             const u8* __restrict__ flags, f32* __restrict__ out,
                                             size_t n, f32* __restrict__ values,
                                             u8* __restrict__ heads, u32* __restrict__ reached) {
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    Pair<f32>* shared = shared_array<Pair<f32>>();
    shared[tid] = {i < n ? in[i] : 0.0f, i < n && flags[i] != 0};
    __syncthreads();
    // ANCHOR: steps
    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        if (tid >= offset) {
            shared[tid] = combine<Sum<f32>>(shared[tid - offset], shared[tid]);
        }
        __syncthreads();
    }
    // ANCHOR_END: steps
    Pair<f32> scanned = shared[tid];
    if (i < n) {
        out[i] = scanned.value;
    }
    unsigned block_reached = __syncthreads_count(!scanned.head);
    if (tid == blockDim.x - 1) {
        Aggregates<f32>{values, heads, reached}.write(scanned, block_reached);
    }
}
