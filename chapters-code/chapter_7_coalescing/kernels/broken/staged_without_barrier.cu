// Broken: aos_staged.cu without its first barrier. A thread's particle was brought by two other threads,
// of other warps, which may not have been there yet.
//
// staged_without_barrier, arguments and launch as aos_staged.cu
constexpr unsigned THREADS = 256;

// ANCHOR: kernel
extern "C" __global__ void __launch_bounds__(THREADS)
    staged_without_barrier(float4* particles, size_t n, float dt) {
    __shared__ float4 tile[2 * THREADS];
    size_t first = size_t(blockIdx.x) * 2 * THREADS, packs = 2 * n;
    unsigned t = threadIdx.x;
    for (unsigned k = t; k < 2 * THREADS && first + k < packs; k += THREADS) {
        tile[k] = particles[first + k];
    }

    if (first + 2 * t < packs) {
        float4 low = tile[2 * t], high = tile[2 * t + 1];
        low.x += low.w * dt;
        low.y += high.x * dt;
        low.z += high.y * dt;
        tile[2 * t] = low;
    }
    __syncthreads();

    for (unsigned k = t; k < 2 * THREADS && first + k < packs; k += THREADS) {
        particles[first + k] = tile[k];
    }
}
// ANCHOR_END: kernel
