// The selected of n elements, in any order of the blocks, to the front of out; how many, to selected[0], which is 0 before.
//
// Launched with ceil(n / 256) blocks of 256 threads, at least one.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    __shared__ int stage[256];
    __shared__ unsigned counts[8];
    __shared__ unsigned begin;
    unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    bool select = i < n && mask[i] != 0;
    unsigned ballot = __ballot_sync(0xffffffffu, select);
    if (lane == 0) {
        counts[warp] = __popc(ballot);
    }
    // GAP a barrier is missing in two places of this kernel
    __syncthreads();
    // SKELETON
    //|    __syncwarp();
    // END GAP
    unsigned before = 0, block = 0;
    for (unsigned w = 0; w < 8; w++) {
        before += w < warp ? counts[w] : 0;
        block += counts[w];
    }
    // GAP
    if (select) {
        stage[before + __popc(ballot & ((1u << lane) - 1))] = in[i];
    }
    if (tid == 0) {
        begin = atomicAdd(selected, block);
    }
    __syncthreads();
    // SKELETON
    //|    if (tid == 0) {
    //|        begin = atomicAdd(selected, block);
    //|    }
    //|    __syncthreads();
    //|    if (select) {
    //|        stage[before + __popc(ballot & ((1u << lane) - 1))] = in[i];
    //|    }
    // END GAP
    if (tid < block) {
        out[begin + tid] = stage[tid];
    }
}
