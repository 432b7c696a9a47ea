// BROKEN: two elements per thread, and the second is one element too near.
//
// The kernel is first_add.cu with `i + blockDim.x - 1`. Every full block adds element B - 1 of its
// 2 B twice, and element 2 B - 1 never. A sum of equal elements comes out right all the same: what
// is counted twice makes up for what is left out. So a test with an input of all ones passes.
// Caught by: the verdict, unless all elements are equal.
//
// sum_f32(const float* in, float* out, size_t n)
// Launch: as first_add.cu.
extern "C" __global__ void sum_f32(const float* __restrict__ in, float* __restrict__ out,
                                   size_t n) {
    extern __shared__ float shared[];
    unsigned tid = threadIdx.x;
    // ANCHOR: bug
    size_t i = size_t(blockIdx.x) * (2 * blockDim.x) + tid;
    size_t j = i + blockDim.x - 1;
    float x = i < n ? in[i] : 0.0f;
    float y = j < n ? in[j] : 0.0f;
    // ANCHOR_END: bug
    shared[tid] = x + y;
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
        __syncthreads();
    }

    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
