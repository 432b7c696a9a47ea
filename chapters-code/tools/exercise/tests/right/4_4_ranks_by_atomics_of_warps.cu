// exercise 4.4
// A warp asks the block for its indices, and the block asks the grid.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    __shared__ unsigned count, begin;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    unsigned lane = threadIdx.x % 32, rank = 0;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    bool select = i < n ? mask[i] : false;
    unsigned ballot = __ballot_sync(~0u, select);
    if (lane == 0) rank = atomicAdd(&count, __popc(ballot));
    rank = __shfl_sync(~0u, rank, 0) + __popc(ballot & ((1u << lane) - 1));
    __syncthreads();
    if (threadIdx.x == 0 && count) begin = atomicAdd(selected, count);
    __syncthreads();
    if (select) out[begin + rank] = in[i];
}
