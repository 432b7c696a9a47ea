// A chain of additions in a register: each needs the sum of the one before.
//
// add_chain(const float* a, float* out, unsigned rounds); reads a[0], and writes 64 * rounds times a[0] to
// out[0].
// Launch: 1 block of 1 thread.
extern "C" __global__ void add_chain(const float* __restrict__ a, float* __restrict__ out,
                                     unsigned rounds) {
    float term = *a;
    float sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < 64; i++) {
            sum += term;
        }
    }
    *out = sum;
}
