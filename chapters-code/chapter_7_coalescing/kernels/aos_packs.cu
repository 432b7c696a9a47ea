// The same array of structures, a particle as two packs of 16 bytes: two loads and one store instead of
// six and three.
//
// aos_packs(float4* particles, size_t n, float dt)
// Launch as aos.cu. particles has 2 n packs, 16-byte aligned.

// ANCHOR: kernel
extern "C" __global__ void aos_packs(float4* particles, size_t n, float dt) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 low = particles[2 * i];      // x y z vx
        float4 high = particles[2 * i + 1]; // vy vz mass charge
        low.x += low.w * dt;
        low.y += high.x * dt;
        low.z += high.y * dt;
        particles[2 * i] = low;
    }
}
// ANCHOR_END: kernel
