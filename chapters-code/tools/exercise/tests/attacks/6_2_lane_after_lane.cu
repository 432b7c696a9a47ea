// exercise 6.2: cost|endless, ""
// Each lane works while the others wait: no request touches two sectors.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    for (unsigned l = 0; l < 32; l++) {
        if (threadIdx.x == l) {
            unsigned c = blockIdx.x * 32 + l, r = blockIdx.y * 32 + threadIdx.y;
            if (r < rows && c < cols) out[size_t(c) * rows + r] = in[size_t(r) * cols + c];
        }
        __syncwarp();
    }
}
