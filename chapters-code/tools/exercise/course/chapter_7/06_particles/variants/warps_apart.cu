// Each warp has a tile of its own, 32 particles, and waits for itself only.
struct Particle {
    float x, y, z, vx, vy, vz, mass;
};

extern "C" __global__ void advance(float* particles, size_t n, float dt) {
    __shared__ Particle tiles[8][32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t first = (size_t(blockIdx.x) * 8 + warp) * 32;
    float* tile = &tiles[warp][0].x;
    float* mine = particles + 7 * first;
    size_t count = first < n ? min(n - first, size_t(32)) : 0;
    for (unsigned k = lane; k < 7 * count; k += 32) tile[k] = mine[k];
    __syncwarp();
    if (lane < count) {
        Particle& p = tiles[warp][lane];
        p.x = fmaf(p.vx, dt, p.x);
        p.y = fmaf(p.vy, dt, p.y);
        p.z = fmaf(p.vz, dt, p.z);
    }
    __syncwarp();
    for (unsigned k = lane; k < 7 * count; k += 32) mine[k] = tile[k];
}
