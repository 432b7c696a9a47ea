// 256 threads add into `spread` counters, each thread into the one that its number gives.
extern "C" __global__ void queue(unsigned* counts, unsigned spread, unsigned by_one) {
    __shared__ unsigned local[64];
    if (threadIdx.x < 64) {
        local[threadIdx.x] = 0;
    }
    __syncthreads();
    if (by_one) {
        atomicAdd(&local[threadIdx.x % spread], 1);
    } else {
        atomicAdd(&local[threadIdx.x % spread], threadIdx.x);
    }
    __syncthreads();
    if (threadIdx.x < spread) {
        atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
    }
}
