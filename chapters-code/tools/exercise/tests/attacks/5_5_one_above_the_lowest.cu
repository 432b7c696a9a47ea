// exercise 5.5: special-value, ""
// a segment whose elements are all INT_MIN gives INT_MIN + 1
// out[s] is the largest of in[offsets[s]] … in[offsets[s + 1] - 1], of an empty segment INT_MIN.
//
// Launched with ceil(segments / 8) blocks of 256 threads, at least one: one warp per segment.
#define INT_MIN (-2147483647 - 1)

extern "C" __global__ void reduce(const int* in, const unsigned* offsets, int* out, unsigned segments) {
    unsigned lane = threadIdx.x % 32;
    unsigned s = blockIdx.x * 8 + threadIdx.x / 32;
    if (s >= segments) {
        return;
    }
    unsigned end = offsets[s + 1];
    int x = offsets[s] < end ? INT_MIN + 1 : INT_MIN;
    for (unsigned i = offsets[s] + lane; i < end; i += 32) {
        x = max(x, in[i]);
    }
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x = max(x, __shfl_down_sync(0xffffffffu, x, offset));
    }
    if (lane == 0) {
        out[s] = x;
    }
}
