// exercise 6.9: cost, ""
// One thread takes all pixels apart.
extern "C" __global__ void planes(const unsigned char* in, unsigned char* out, size_t n) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < 3; k++) out[k * n + i] = in[3 * i + k];
    }
}
