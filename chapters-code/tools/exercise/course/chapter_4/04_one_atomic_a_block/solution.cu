// The selected of n elements, in any order, to the front of out; how many there are, to selected[0], which is 0 before.
//
// Launched with ceil(n / 256) blocks of 256 threads, at least one.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    bool select = i < n && mask[i] != 0;
    // GAP right, but with an atomic a warp or an element: let the block ask once
    __shared__ unsigned begins[8];
    unsigned lane = tid % 32, warp = tid / 32;
    unsigned ballot = __ballot_sync(0xffffffffu, select);
    if (lane == 0) {
        begins[warp] = __popc(ballot);
    }
    __syncthreads();
    if (tid == 0) {
        unsigned sum = 0;
        for (unsigned w = 0; w < 8; w++) {
            unsigned count = begins[w];
            begins[w] = sum;
            sum += count;
        }
        unsigned begin = atomicAdd(selected, sum);
        for (unsigned w = 0; w < 8; w++) {
            begins[w] += begin;
        }
    }
    __syncthreads();
    if (select) {
        out[begins[warp] + __popc(ballot & ((1u << lane) - 1))] = in[i];
    }
    // SKELETON
    //|    for (unsigned lane = 0; lane < 32; lane++) {
    //|        // One lane after another, so that the compiler does not join them.
    //|        if (select && tid % 32 == lane) {
    //|            out[atomicAdd(selected, 1u)] = in[i];
    //|        }
    //|        __syncwarp();
    //|    }
    // END GAP
}
