// exercise 7.6
extern "C" __global__ void advance(float* particles, size_t n, float dt) {
    __shared__ __align__(16) float tile[7 * 256];
    unsigned t = threadIdx.x;
    size_t first = size_t(blockIdx.x) * 7 * 256;
    size_t left = 7 * n - min(7 * n, first);
    unsigned count = unsigned(min(left, size_t(7 * 256)));
    float* mine = particles + first;
    for (unsigned k = t; k < count / 4; k += 256) reinterpret_cast<float4*>(tile)[k] = reinterpret_cast<const float4*>(mine)[k];
    if (t < count % 4) tile[count / 4 * 4 + t] = mine[count / 4 * 4 + t];
    __syncthreads();
    if (7 * t < count) { float* p = tile + 7 * t; p[0] += p[3] * dt; p[1] += p[4] * dt; p[2] += p[5] * dt; }
    __syncthreads();
    for (unsigned k = t; k < count / 4; k += 256) reinterpret_cast<float4*>(mine)[k] = reinterpret_cast<const float4*>(tile)[k];
    if (t < count % 4) mine[count / 4 * 4 + t] = tile[count / 4 * 4 + t];
}
