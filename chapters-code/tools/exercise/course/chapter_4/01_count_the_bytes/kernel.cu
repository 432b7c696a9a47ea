// Compaction in any order: each warp asks for as many places as it needs, by one atomic addition.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* kept, size_t n) {
    unsigned lane = threadIdx.x % 32;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int x = 0;
    bool keep = false;
    if (i < n) {
        x = in[i];
        keep = mask[i] != 0;
    }
    unsigned ballot = __ballot_sync(0xffffffffu, keep);
    unsigned place = 0;
    if (lane == 0 && ballot != 0) {
        place = atomicAdd(kept, __popc(ballot));
    }
    place = __shfl_sync(0xffffffffu, place, 0);
    if (keep) {
        out[place + __popc(ballot & ((1u << lane) - 1))] = x;
    }
}
