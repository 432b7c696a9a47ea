// A vote, and a count of bits.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    bool select = threadIdx.x < n ? mask[threadIdx.x] : false;
    unsigned votes = __ballot_sync(~0u, select);
    if (select) out[__popc(votes & ~(~0u << threadIdx.x))] = in[threadIdx.x];
    if (threadIdx.x == 0) *selected = __popc(votes);
}
