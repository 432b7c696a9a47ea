// exercise 3.9: cost, ""
// One thread adds up everything, by ordinary loads.
extern "C" __global__ void sums(const int* in, int* out, size_t n) {
    if (threadIdx.x || blockIdx.x) return;
    size_t chunks = n > 0 ? (n + 255) / 256 : 1;
    for (size_t c = 0; c < chunks; c++) {
        int sum = 0;
        for (size_t i = c * 256; i < n && i < c * 256 + 256; i++) sum += in[i];
        out[c] = sum;
    }
}
