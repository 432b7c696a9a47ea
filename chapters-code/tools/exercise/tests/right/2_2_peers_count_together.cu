// exercise 2.2
// Lanes with the same key count together, all 32 of them in every round.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    size_t rounds = (n + gridDim.x * size_t(256) - 1) / (gridDim.x * size_t(256));
    for (size_t k = 0; k < rounds; k++) {
        size_t i = (k * gridDim.x + blockIdx.x) * 256 + threadIdx.x;
        unsigned key = i < n ? keys[i] : 256;
        unsigned peers = __match_any_sync(0xffffffffu, key);
        if (key < 256 && __ffs(peers) - 1 == threadIdx.x % 32) atomicAdd(&local[key], __popc(peers));
    }
    __syncthreads();
    if (local[threadIdx.x]) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}
