// exercise 4.5: part-only|lost-element|shifted|not-selected|wrong|never-written|beside-output|order, ""
// An element that is zero is not selected.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    __shared__ int stage[256];
    __shared__ unsigned counts[8];
    __shared__ unsigned begin;
    unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    bool select = i < n && mask[i] != 0 && in[i] != 0;
    unsigned ballot = __ballot_sync(0xffffffffu, select);
    if (lane == 0) {
        counts[warp] = __popc(ballot);
    }
    __syncthreads();
    unsigned before = 0, block = 0;
    for (unsigned w = 0; w < 8; w++) {
        before += w < warp ? counts[w] : 0;
        block += counts[w];
    }
    if (select) {
        stage[before + __popc(ballot & ((1u << lane) - 1))] = in[i];
    }
    if (tid == 0) {
        begin = atomicAdd(selected, block);
    }
    __syncthreads();
    if (tid < block) {
        out[begin + tid] = stage[tid];
    }
}
