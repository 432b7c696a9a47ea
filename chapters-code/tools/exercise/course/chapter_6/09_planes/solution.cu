// out[k * n + i] = in[3 * i + k]: the planes k = 0, 1, 2 of an image of n pixels.
//
// Launched with ceil(n / 256) blocks, at least one, of 256 threads. in and out begin at multiples of 4 bytes.
extern "C" __global__ void planes(const unsigned char* in, unsigned char* out, size_t n) {
    // GAP make the three planes
    __shared__ unsigned words[192];
    unsigned char* bytes = reinterpret_cast<unsigned char*>(words);
    unsigned t = threadIdx.x;
    size_t first = size_t(blockIdx.x) * 256;
    unsigned count = unsigned(min(n - first, size_t(256)));
    unsigned whole = 3 * count / 4, rest = 3 * count % 4;
    const unsigned char* mine = in + 3 * first;
    if (t < whole) {
        words[t] = reinterpret_cast<const unsigned*>(mine)[t];
    }
    if (t < rest) {
        bytes[4 * whole + t] = mine[4 * whole + t];
    }
    __syncthreads();
    if (t < count) {
        for (unsigned k = 0; k < 3; k++) {
            out[k * n + first + t] = bytes[3 * t + k];
        }
    }
    // END GAP
}
