// As gather.cu, by the read-only path.
//
// gather_read_only, arguments and launch as gather.cu

// ANCHOR: kernel
extern "C" __global__ void gather_read_only(const float* in, const unsigned* __restrict__ indices,
                                            float* __restrict__ out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __ldg(&in[indices[i]]);
    }
}
// ANCHOR_END: kernel
