// One thread per segment: out[s] is the sum of in[offsets[s]] … in[offsets[s + 1] - 1].
extern "C" __global__ void reduce(const int* in, const unsigned* offsets, int* out, unsigned segments) {
    unsigned s = blockIdx.x * 128 + threadIdx.x;
    if (s >= segments) {
        return;
    }
    unsigned end = offsets[s + 1];
    int sum = 0;
    for (unsigned i = offsets[s]; i < end; i++) {
        sum += in[i];
    }
    out[s] = sum;
}
