// exercise 5.5: cost, ""
// One lane of each warp folds its segment.
extern "C" __global__ void reduce(const int* in, const unsigned* offsets, int* out, unsigned segments) {
    unsigned s = blockIdx.x * 8 + threadIdx.x / 32;
    if (s >= segments || threadIdx.x % 32) return;
    int x = -2147483647 - 1;
    for (unsigned i = offsets[s]; i < offsets[s + 1]; i++) x = max(x, in[i]);
    out[s] = x;
}
