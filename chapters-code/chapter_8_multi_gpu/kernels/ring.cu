// One step of the ring: a device adds its own chunk to the partial sum that it has received.
//
// sum(const float* own, float* received, size_t n)
// Launch: any number of blocks. The result replaces `received`.

// ANCHOR: sum
extern "C" __global__ void sum(const float* own, float* received, size_t n) {
    size_t threads = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) {
        received[i] += own[i];
    }
}
// ANCHOR_END: sum
