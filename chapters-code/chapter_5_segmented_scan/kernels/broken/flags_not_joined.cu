// Broken: Hillis and Steele's scan with an operator on pairs that forgets to join the flags. A pair then
// says nothing of heads further back than its own element, and adds what lies before them.
//
// inclusive_sum_f32, launch and results as hillis_steele.cu.
#include "../flagged.cuh"

extern "C" __global__ void inclusive_sum_f32(const f32* __restrict__ in,
                                             const u8* __restrict__ flags, f32* __restrict__ out,
                                             size_t n, f32* __restrict__ values,
                                             u8* __restrict__ heads, u32* __restrict__ reached) {
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    Pair<f32>* from = shared_array<Pair<f32>>();
    Pair<f32>* to = from + blockDim.x;
    bool is_head = i < n && flags[i] != 0;
    from[tid] = {i < n ? in[i] : 0.0f, is_head};
    __syncthreads();
    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        Pair<f32> own = from[tid];
        // ANCHOR: combine
        if (tid >= offset && !own.head) {
            own.value += from[tid - offset].value;
            // Missing: own.head = from[tid - offset].head.
        }
        // ANCHOR_END: combine
        to[tid] = own;
        __syncthreads();
        Pair<f32>* free = from;
        from = to;
        to = free;
    }
    if (i < n) {
        out[i] = from[tid].value;
    }
    bool any = __syncthreads_count(is_head) > 0;
    if (tid == blockDim.x - 1) {
        Aggregates<f32>{values, heads, reached}.write({from[tid].value, any}, any ? 0 : blockDim.x);
    }
}
