// Reads field x of particle i out of one of four layouts of eight fields; layout 4 is layout 0, by packs.
extern "C" __global__ void field(const float* in, float* out, size_t n, unsigned layout) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    if (layout == 4) {
        float4 pack = reinterpret_cast<const float4*>(in)[2 * i];
        out[i] = pack.x + pack.y + pack.z + pack.w;
    } else if (layout == 0) {
        out[i] = in[8 * i];
    } else if (layout == 1) {
        out[i] = in[i];
    } else {
        size_t width = layout == 2 ? 32 : 4;
        out[i] = in[i / width * width * 8 + i % width];
    }
}
