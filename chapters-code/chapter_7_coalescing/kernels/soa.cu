// Particles as a structure of arrays: each field by itself, n elements long.
//
// The same field of neighbouring lanes is side by side, and fields that are not read are not moved.
//
// soa(float* fields, size_t n, float dt): field k of particle i is fields[k * n + i]
// Launch: ceil(n / block) blocks (at least 1), any block. fields has 8 n elements.

// ANCHOR: kernel
extern "C" __global__ void soa(float* fields, size_t n, float dt) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        float *x = fields, *y = x + n, *z = y + n;
        const float *vx = z + n, *vy = vx + n, *vz = vy + n;
        x[i] += vx[i] * dt;
        y[i] += vy[i] * dt;
        z[i] += vz[i] * dt;
    }
}
// ANCHOR_END: kernel
