// exercise 7.6: wrong|displaced|unchanged|doubled-element, "particles"
// The time step of the public test, 3, instead of the one that is given.
extern "C" __global__ void advance(float* particles, size_t n, float dt) {
    __shared__ float tile[1792];
    size_t first = size_t(1792) * blockIdx.x, floats = 7 * n;
    for (unsigned k = threadIdx.x; k < 1792; k += 256) if (first + k < floats) tile[k] = particles[first + k];
    __syncthreads();
    if (size_t(256) * blockIdx.x + threadIdx.x < n) {
        for (unsigned k = 0; k < 3; k++) tile[7 * threadIdx.x + k] += tile[7 * threadIdx.x + k + 3] * 3.0f;
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < 1792; k += 256) if (first + k < floats) particles[first + k] = tile[k];
}
