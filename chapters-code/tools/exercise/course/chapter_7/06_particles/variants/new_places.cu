// A float is stored from where its new value is computed: the thread that has it looks its velocity up in the tile.
extern "C" __global__ void advance(float* particles, size_t n, float dt) {
    __shared__ float tile[1792];
    const size_t begin = 1792ull * blockIdx.x, floats = 7ull * n;
#pragma unroll
    for (int k = 0; k < 7; k++) {
        unsigned at = 256 * k + threadIdx.x;
        tile[at] = begin + at < floats ? particles[begin + at] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 7; k++) {
        unsigned at = 256 * k + threadIdx.x;
        if (begin + at < floats && at % 7 < 3) particles[begin + at] = tile[at] + tile[at + 3] * dt;
    }
}
