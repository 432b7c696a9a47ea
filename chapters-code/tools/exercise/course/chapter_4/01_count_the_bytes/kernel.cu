// Compaction in any order: each warp asks for as many indices as it needs, by one atomic addition.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    unsigned lane = threadIdx.x % 32;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int x = 0;
    bool select = false;
    if (i < n) {
        x = in[i];
        select = mask[i] != 0;
    }
    unsigned ballot = __ballot_sync(0xffffffffu, select);
    unsigned index = 0;
    if (lane == 0 && ballot != 0) {
        index = atomicAdd(selected, __popc(ballot));
    }
    index = __shfl_sync(0xffffffffu, index, 0);
    if (select) {
        out[index + __popc(ballot & ((1u << lane) - 1))] = x;
    }
}
