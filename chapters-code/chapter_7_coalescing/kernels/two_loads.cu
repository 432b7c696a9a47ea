// The sum of each pair of neighbours, which a thread loads one by one.
//
// Lanes load every second element, so each of the two requests touches 8 sectors, and both the same.
//
// Neither pointer is __restrict__: `out` might overlap `in`, and so the loads stay ordinary ones.
//
// two_loads(const float* in, float* out, size_t n)
// Launch: ceil(n / block) blocks (at least 1), any block. Reads in[0 .. 2 n], writes out[0 .. n].

// ANCHOR: kernel
extern "C" __global__ void two_loads(const float* in, float* out, size_t n) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[2 * i] + in[2 * i + 1];
    }
}
// ANCHOR_END: kernel
