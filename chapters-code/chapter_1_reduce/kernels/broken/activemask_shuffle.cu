// BROKEN: __activemask() as the mask of a shuffle in a divergent branch.
//
// The kernel means to add what is positive and what is negative apart. In each branch
// __activemask() names the lanes that happen to be there, which is not the warp: the shuffle reads
// lanes outside its mask (the value is undefined), and lane 0 is in only one of the branches, so
// the other's sum never arrives. __activemask() tells who is here, never who should be.
// Caught by: the verdict, with both signs in a warp, because of lane 0; the simulator also reports
// the shuffle from a lane outside the mask. That read alone may do no harm: on an H200 such lanes
// were seen to bring 0.
//
// sum_f32(const float* in, float* out, size_t n)
// Launch: ceil(n / 32) blocks (at least 1) of 32 threads, no dynamic shared memory. Writes out[b]
// for each block b.
__device__ float warp_sum(unsigned mask, float x) {
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        x += __shfl_down_sync(mask, x, offset);
    }
    return x;
}

extern "C" __global__ void sum_f32(const float* __restrict__ in, float* __restrict__ out,
                                   size_t n) {
    size_t i = size_t(blockIdx.x) * 32 + threadIdx.x;
    float x = i < n ? in[i] : 0.0f;
    float positive = 0.0f;
    float negative = 0.0f;
    // ANCHOR: bug
    if (x >= 0.0f) {
        positive = warp_sum(__activemask(), x);
    } else {
        negative = warp_sum(__activemask(), x);
    }
    // ANCHOR_END: bug
    if (threadIdx.x == 0) {
        out[blockIdx.x] = positive + negative;
    }
}
