// exercise 4.4
// The lanes that are active together ask the block for their indices. It is right with any groups of lanes.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    __shared__ unsigned count, begin;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    unsigned lane = threadIdx.x % 32, rank = 0;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    bool select = i < n ? mask[i] : false;
    if (select) {
        unsigned active = __activemask(), first = __ffs(active) - 1;
        if (lane == first) rank = atomicAdd(&count, __popc(active));
        rank = __shfl_sync(active, rank, first) + __popc(active & ((1u << lane) - 1));
    }
    __syncthreads();
    if (threadIdx.x == 0 && count) begin = atomicAdd(selected, count);
    __syncthreads();
    if (select) out[begin + rank] = in[i];
}
