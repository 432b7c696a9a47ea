// The structure of arrays, four particles a thread: a field of theirs is a pack.
//
// Where n is no multiple of four, only the first field begins at a multiple of 16 bytes; then the four
// particles of a thread lie far apart, and go one by one.
//
// soa_packs(float* fields, size_t n, float dt), as soa.cu; fields 16-byte aligned
// Launch: ceil(n / 4 / block) blocks (at least 1), any block. fields has 8 n elements.

// ANCHOR: kernel
extern "C" __global__ void soa_packs(float* fields, size_t n, float dt) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float4* packs = reinterpret_cast<float4*>(fields);
    size_t all = n / 4;
    if (n % 4 == 0 && i < all) {
        float4 position[3], velocity[3];
#pragma unroll
        for (unsigned k = 0; k < 3; k++) {
            position[k] = packs[k * all + i];
            velocity[k] = packs[(k + 3) * all + i];
        }
#pragma unroll
        for (unsigned k = 0; k < 3; k++) {
            position[k].x += velocity[k].x * dt;
            position[k].y += velocity[k].y * dt;
            position[k].z += velocity[k].z * dt;
            position[k].w += velocity[k].w * dt;
            packs[k * all + i] = position[k];
        }
    }
    // ANCHOR_END: kernel
    if (n % 4 != 0) {
        for (; i < n; i += size_t(gridDim.x) * blockDim.x) {
            for (unsigned k = 0; k < 3; k++) {
                fields[k * n + i] += fields[(k + 3) * n + i] * dt;
            }
        }
    }
}
