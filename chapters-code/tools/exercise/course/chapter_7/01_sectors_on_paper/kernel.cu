// out[i] = in[i * stride + offset], one thread per element.
extern "C" __global__ void copy(const float* in, float* out, size_t n, size_t stride, size_t offset) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i * stride + offset];
    }
}
