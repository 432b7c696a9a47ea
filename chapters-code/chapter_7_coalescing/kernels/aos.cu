// Particles as an array of structures: what belongs together lies together, 32 bytes a particle.
//
// A lane's fields are neighbours, and the same field of neighbouring lanes is 32 bytes apart: every
// request touches 32 sectors.
//
// aos(float* particles, size_t n, float dt): moves each of n particles by its velocity times dt
// Launch: ceil(n / block) blocks (at least 1), any block. particles has 8 n elements.

// ANCHOR: kernel
struct Particle {
    float x, y, z;
    float vx, vy, vz;
    float mass, charge;
};

extern "C" __global__ void aos(Particle* particles, size_t n, float dt) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle& p = particles[i];
        p.x += p.vx * dt;
        p.y += p.vy * dt;
        p.z += p.vz * dt;
    }
}
// ANCHOR_END: kernel
