// As two_loads.cu, by the read-only path (ld.global.nc), which promises that no thread writes to `in` while
// the kernel runs.
//
// read_only, arguments and launch as two_loads.cu

// ANCHOR: kernel
extern "C" __global__ void read_only(const float* in, float* __restrict__ out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __ldg(&in[2 * i]) + __ldg(&in[2 * i + 1]);
    }
}
// ANCHOR_END: kernel
