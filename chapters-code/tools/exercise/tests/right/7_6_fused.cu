// exercise 7.6
// A fused multiplication and addition, of numbers that it does not round.
extern "C" __global__ void advance(float* particles, size_t n, float dt) {
    __shared__ float tile[7 * 256];
    float* mine = particles + size_t(7 * 256) * blockIdx.x;
    size_t left = n - size_t(256) * blockIdx.x;
    unsigned records = left < 256 ? left : 256, tid = threadIdx.x;
    for (unsigned k = tid; k < 7 * records; k += 256) tile[k] = mine[k];
    __syncthreads();
    if (tid < records) {
        for (unsigned axis = 0; axis < 3; axis++) tile[7 * tid + axis] = __fmaf_rn(tile[7 * tid + axis + 3], dt, tile[7 * tid + axis]);
    }
    __syncthreads();
    for (unsigned k = tid; k < 7 * records; k += 256) mine[k] = tile[k];
}
