// Each thread stores the bytes t, t + 256, t + 512 of the block's three planes: the plane is found by a division.
extern "C" __global__ void planes(const unsigned char* in, unsigned char* out, size_t n) {
    __shared__ unsigned words[192];
    const unsigned t = threadIdx.x;
    const size_t begin = size_t(blockIdx.x) << 8, bytes = 3 * n, base = 3 * begin + 4 * t;
    if (t < 192) {
        unsigned word = 0;
        if (base + 4 <= bytes)
            word = *reinterpret_cast<const unsigned*>(in + base);
        else
            for (unsigned k = 0; k < 4 && base + k < bytes; k++) word |= unsigned(in[base + k]) << (8 * k);
        words[t] = word;
    }
    __syncthreads();
    for (unsigned p = t; p < 768; p += 256) {
        unsigned plane = p / 256, pixel = p % 256, at = 3 * pixel + plane;
        if (begin + pixel < n) out[plane * n + begin + pixel] = (unsigned char)(words[at / 4] >> (8 * (at % 4)));
    }
}
