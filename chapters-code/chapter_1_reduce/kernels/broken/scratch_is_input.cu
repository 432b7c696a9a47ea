// BROKEN, on the host's side: passes that go back and forth between the scratch and the input.
//
// The kernel is sequential.cu. A reduction of several passes needs two buffers to alternate
// between; taking the input as the second saves memory and destroys the caller's data:
//
//     pass 1: in -> scratch      pass 2: scratch -> in (!)      pass 3: in -> scratch
//
// Passes alternate until one value is left; with blocks of 256, the second is reached from n = 257
// on. To be right, give the passes two scratch buffers, or two halves of one.
// Caught by: the check that the input is intact after the run; by the verdict only in a second run
// on the same input.
//
// sum_f32(const float* in, float* out, size_t n)
// Launch: as sequential.cu; the result is where the last pass wrote it.
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
