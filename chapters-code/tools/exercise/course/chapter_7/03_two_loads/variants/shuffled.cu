// Neighbouring lanes load neighbouring elements, twice, and hand them on: as many sectors, two loads.
extern "C" __global__ void pair_sums(const float* in, float* out, size_t n) {
    unsigned lane = threadIdx.x % 32;
    size_t first = blockIdx.x * size_t(256) + threadIdx.x / 32 * 32; // the warp's first pair
    size_t end = 2 * n, at = 2 * first + lane;
    float low = at < end ? in[at] : 0, high = at + 32 < end ? in[at + 32] : 0;
    unsigned from = 2 * lane % 32;
    float a = __shfl_sync(~0u, low, from), b = __shfl_sync(~0u, low, from + 1);
    float c = __shfl_sync(~0u, high, from), d = __shfl_sync(~0u, high, from + 1);
    if (first + lane < n) out[first + lane] = lane < 16 ? a + b : c + d;
}
