// exercise 4.4: cost, "atomic"
// A warp asks, and not a block.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    unsigned lane = threadIdx.x % 32, begin = 0;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    bool select = i < n && mask[i];
    unsigned ballot = __ballot_sync(0xffffffffu, select);
    if (lane == 0) begin = atomicAdd(selected, __popc(ballot));
    begin = __shfl_sync(0xffffffffu, begin, 0);
    if (select) out[begin + __popc(ballot & ((1u << lane) - 1))] = in[i];
}
