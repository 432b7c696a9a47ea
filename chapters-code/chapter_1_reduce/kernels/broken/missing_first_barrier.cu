// BROKEN: no barrier between filling shared memory and the first step of the tree.
//
// Thread 0 reads shared[128], which thread 128, of another warp, may not have written yet.
// Right whenever the warps happen to run in step; so often right in a test, and wrong in use.
// Caught by: the race detector (shared memory, write against read, missing __syncthreads); on some
// schedules also by the verdict.
//
// sum_f32(const float* in, float* out, size_t n)
// Launch: as sequential.cu, block >= 64.
extern "C" __global__ void sum_f32(const float* __restrict__ in, float* __restrict__ out,
                                   size_t n) {
    extern __shared__ float shared[];
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + tid;
    // ANCHOR: bug
    shared[tid] = i < n ? in[i] : 0.0f;
    // missing: __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
        __syncthreads();
    }
    // ANCHOR_END: bug

    if (tid == 0) {
        out[blockIdx.x] = shared[0];
    }
}
