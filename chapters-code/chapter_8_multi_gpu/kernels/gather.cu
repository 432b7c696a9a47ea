// The first device has copies of all arrays, one behind the other, and adds them.
//
// sum(const float* own, const float* gathered, float* out, size_t n, unsigned others)
// Launch: any number of blocks. `gathered` has `others` arrays of n elements.

// ANCHOR: sum
extern "C" __global__ void sum(const float* own, const float* gathered, float* out, size_t n,
                               unsigned others) {
    size_t threads = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) {
        float sum = own[i];
        for (unsigned k = 0; k < others; ++k) {
            sum += gathered[k * n + i];
        }
        out[i] = sum;
    }
}
// ANCHOR_END: sum
