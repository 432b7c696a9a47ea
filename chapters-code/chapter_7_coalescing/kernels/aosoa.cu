// Particles in groups of 32, each a structure of arrays: an array of structures of arrays.
//
// A warp's group is 1 KiB of consecutive memory, and each of its requests is 128 bytes side by side.
//
// aosoa(float* groups, size_t n, float dt): field k of particle i is
// groups[i / 32 * 256 + k * width + i % 32], with width 32, in the last group as many as it has
// Launch: ceil(n / block) blocks (at least 1), any block. groups has 8 n elements.

// ANCHOR: kernel
extern "C" __global__ void aosoa(float* groups, size_t n, float dt) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        size_t first = i / 32 * 32;
        unsigned width = unsigned(min(n - first, size_t(32)));
        float* p = groups + 8 * first + i % 32;
#pragma unroll
        for (unsigned k = 0; k < 3; k++) {
            p[k * width] += p[(k + 3) * width] * dt;
        }
    }
}
// ANCHOR_END: kernel
