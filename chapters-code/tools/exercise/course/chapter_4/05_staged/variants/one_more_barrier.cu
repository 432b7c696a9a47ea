// The staging stays where it was, and a barrier of its own follows.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    __shared__ int stage[256];
    __shared__ unsigned votes[8];
    __shared__ unsigned begin;
    unsigned tid = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + tid;
    bool select = i < n && mask[i] != 0;
    unsigned ballot = __ballot_sync(0xffffffffu, select);
    if (tid % 32 == 31) votes[tid / 32] = ballot;
    __syncthreads();
    unsigned before = 0, block = 0;
    for (unsigned w = 0; w < 8; w++) {
        if (w == tid / 32) before = block;
        block += __popc(votes[w]);
    }
    if (tid == 0) begin = atomicAdd(selected, block);
    __syncthreads();
    if (select) stage[before + __popc(ballot << 1 << (31 - tid % 32))] = in[i];
    __syncthreads();
    if (tid < block) out[begin + tid] = stage[tid];
}
