// exercise 6.8: cost, ""
// One thread, four elements per access on the side of the loads.
extern "C" __global__ void transpose(const float* in, float* out, unsigned rows, unsigned cols) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (unsigned r = 0; r < rows; r++) {
        for (unsigned c = 0; c < cols; c += 4) {
            float4 x = *reinterpret_cast<const float4*>(&in[size_t(r) * cols + c]);
            out[size_t(c) * rows + r] = x.x;
            out[size_t(c + 1) * rows + r] = x.y;
            out[size_t(c + 2) * rows + r] = x.z;
            out[size_t(c + 3) * rows + r] = x.w;
        }
    }
}
