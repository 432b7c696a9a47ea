// A butterfly in place of the fold downwards: every lane has the result.
extern "C" __global__ void reduce(const int* __restrict__ in, const unsigned* __restrict__ offsets, int* __restrict__ out,
                                  unsigned segments) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    int best = -2147483647 - 1;
    unsigned begin = 0, end = 0;
    if (warp < segments) {
        begin = offsets[warp];
        end = offsets[warp + 1];
    }
    for (unsigned first = begin; first < end; first += 32) {
        int x = first + lane < end ? in[first + lane] : best;
        if (x > best) best = x;
    }
    for (int with = 1; with < 32; with *= 2) best = max(best, __shfl_xor_sync(~0u, best, with));
    if (warp < segments && lane == 31) out[warp] = best;
}
