// exercise 7.6: cost, "longest warp"
// One thread moves all particles.
extern "C" __global__ void advance(float* particles, size_t n, float dt) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < 3; k++) particles[7 * i + k] += particles[7 * i + k + 3] * dt;
    }
}
