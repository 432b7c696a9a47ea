// Each lane goes back to its head by itself.
extern "C" __global__ void scan_warps(const int* in, const unsigned char* flags, int* out, size_t n) {
    __shared__ int values[8][32];
    __shared__ unsigned char heads[8][32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    values[warp][lane] = i < n ? in[i] : 0;
    heads[warp][lane] = i < n ? flags[i] : 0;
    __syncwarp();
    int sum = 0;
    for (unsigned l = lane; l > 0 && !heads[warp][l]; l--) sum += values[warp][l - 1];
    if (i < n) out[i] = sum;
}
