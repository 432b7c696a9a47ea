// BROKEN: a maximum whose last block is padded with 0.
//
// 0 is the identity of a sum. A maximum of negative numbers comes out as 0 as soon as one thread
// has no element: its identity is -infinity (and the smallest integer, for integers).
// Caught by: the verdict, with an input of negative numbers and n not a multiple of the block.
//
// max_f32(const float* in, float* out, size_t n)
// Launch: as sequential.cu.
extern "C" __global__ void max_f32(const float* __restrict__ in, float* __restrict__ out,
                                   size_t n) {
    extern __shared__ float shared[];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    // ANCHOR: bug
    shared[tid] = i < n ? in[i] : 0.0f;
    // ANCHOR_END: bug
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            shared[tid] = fmaxf(shared[tid], shared[tid + stride]);
        }
        __syncthreads();
    }

    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
