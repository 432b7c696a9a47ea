// Moves n particles of seven floats, x y z vx vy vz mass, by their velocity times dt.
//
// Launched with ceil(n / 256) blocks, at least one, of 256 threads.
extern "C" __global__ void advance(float* particles, size_t n, float dt) {
    unsigned t = threadIdx.x;
    // GAP right, but lanes are 28 bytes apart; load and store neighbouring floats, through shared memory
    __shared__ float tile[7 * 256];
    size_t first = size_t(blockIdx.x) * 7 * 256;
    for (unsigned k = t; k < 7 * 256; k += 256) {
        if (first + k < 7 * n) {
            tile[k] = particles[first + k];
        }
    }
    __syncthreads();
    if (size_t(blockIdx.x) * 256 + t < n) {
        float* p = tile + 7 * t;
        p[0] += p[3] * dt;
        p[1] += p[4] * dt;
        p[2] += p[5] * dt;
    }
    __syncthreads();
    for (unsigned k = t; k < 7 * 256; k += 256) {
        if (first + k < 7 * n) {
            particles[first + k] = tile[k];
        }
    }
    // SKELETON
    //|    size_t i = size_t(blockIdx.x) * 256 + t;
    //|    if (i < n) {
    //|        float* p = particles + 7 * i;
    //|        p[0] += p[3] * dt;
    //|        p[1] += p[4] * dt;
    //|        p[2] += p[5] * dt;
    //|    }
    // END GAP
}
