// 64-bit integers: multiply, shift and exclusive or (the finaliser of SplitMix64).
// run(const unsigned* in, unsigned long long* out, size_t n): one thread an element.
extern "C" __global__ void run(const unsigned* in, unsigned long long* out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned long long z = in[i];
    for (unsigned k = 0; k < 8; k++) {
        z += 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        z ^= z >> 31;
    }
    out[i] = z;
}
