// BROKEN: sequential addressing with a block that is not a power of two.
//
// The kernel is sequential.cu, which halves the stride from blockDim.x / 2. With 192 threads the
// strides are 96, 48, 24, 12, 6, 3, 1: the step from 3 to 1 leaves shared[2] out, and every
// block loses 64 of its 192 elements. An input of zeros, or a generous tolerance, hides it.
// Caught by: the verdict, at any n above 2.
//
// sum_f32(const float* in, float* out, size_t n)
// Launch: ceil(n / 192) blocks (at least 1) of 192 threads, dynamic shared memory
// 192 * sizeof(float). Writes out[b] for each block b.
extern "C" __global__ void sum_f32(const float* __restrict__ in, float* __restrict__ out,
                                   size_t n) {
    extern __shared__ float shared[];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    shared[tid] = i < n ? in[i] : 0.0f;
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
