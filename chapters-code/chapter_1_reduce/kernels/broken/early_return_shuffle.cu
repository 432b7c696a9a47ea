// BROKEN: a shuffle with a full mask after some lanes have returned.
//
// In the last warp the lanes past the end are gone when the others name them in the mask. The shuffle
// does not wait for them, and the value read from them is undefined. The lanes must stay, and bring
// the identity.
// Caught by: the simulator, which reports the shuffle that names a lane that has exited, when n is
// not a multiple of 32. Not by the verdict on a GPU: on an H200 the lanes that had left were seen to
// bring 0, and the sum was right. Nothing promises that.
//
// sum_f32(const float* in, float* out, size_t n)
// Launch: ceil(n / 32) blocks (at least 1) of 32 threads, no dynamic shared memory. Writes out[b]
// for each block b.
extern "C" __global__ void sum_f32(const float* __restrict__ in, float* __restrict__ out,
                                   size_t n) {
    size_t i = size_t(blockIdx.x) * 32 + threadIdx.x;
    // ANCHOR: bug
    if (i >= n) {
        return;
    }
    float x = in[i];
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x += __shfl_down_sync(0xffffffffu, x, offset);
    }
    // ANCHOR_END: bug
    if (threadIdx.x == 0) {
        out[blockIdx.x] = x;
    }
}
