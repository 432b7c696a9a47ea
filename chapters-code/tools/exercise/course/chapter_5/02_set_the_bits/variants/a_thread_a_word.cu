// Some of the threads take a word each, and look for its heads by halving: no atomic.
extern "C" __global__ void set_bits(const unsigned* offsets, unsigned* bits, unsigned segments) {
    unsigned n = offsets[segments];
    for (unsigned w = blockIdx.x * 256 + threadIdx.x; w * 32 < n; w += gridDim.x * 256) {
        unsigned low = 0, high = segments;
        while (low < high) {
            unsigned middle = (low + high) / 2;
            if (offsets[middle] < 32 * w) low = middle + 1;
            else high = middle;
        }
        unsigned word = 0;
        for (unsigned s = low; s < segments && offsets[s] < min(n, 32 * w + 32); s++) word |= 1u << (offsets[s] & 31);
        bits[w] = word;
    }
}
