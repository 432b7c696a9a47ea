// exercise 4.6: lost-element|never-written|wrong|part-only, ""
// The element before the first is taken to be the lowest number.
#define LOWEST (-2147483647 - 1)
__device__ bool selects(const int* in, size_t i, size_t n) {
    int before = i == 0 ? LOWEST : (i < n ? in[i - 1] : 0);
    return i < n && in[i] != before;
}
extern "C" __global__ void count(const int* in, unsigned* counts, size_t n) {
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    unsigned selected = __syncthreads_count(selects(in, i, n));
    if (threadIdx.x == 0) counts[blockIdx.x] = selected;
}
extern "C" __global__ void scan_counts(unsigned* counts, unsigned* selected, size_t n) {
    size_t blocks = n == 0 ? 1 : (n + 255) / 256;
    unsigned lane = threadIdx.x, before = 0;
    for (size_t first = 0; first < blocks; first += 32) {
        size_t b = first + lane;
        unsigned count = b < blocks ? counts[b] : 0, x = count;
        for (unsigned offset = 1; offset < 32; offset *= 2) {
            unsigned other = __shfl_up_sync(0xffffffffu, x, offset);
            x += lane >= offset ? other : 0;
        }
        if (b < blocks) counts[b] = before + x - count;
        before += __shfl_sync(0xffffffffu, x, 31);
    }
    if (lane == 0) selected[0] = before;
}
extern "C" __global__ void scatter(const int* in, int* out, const unsigned* counts, size_t n) {
    __shared__ unsigned warps[8];
    unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    bool select = selects(in, i, n);
    unsigned ballot = __ballot_sync(0xffffffffu, select);
    if (lane == 0) warps[warp] = __popc(ballot);
    __syncthreads();
    unsigned index = counts[blockIdx.x] + __popc(ballot & ((1u << lane) - 1));
    for (unsigned w = 0; w < warp; w++) index += warps[w];
    if (select) out[index] = in[i];
}
