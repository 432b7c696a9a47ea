// The same array of structures, through shared memory: packs are loaded and stored by neighbouring lanes,
// and a thread finds its particle in the tile.
//
// Every request is whole, 16 sectors for 512 bytes. But all 32 bytes of a particle are moved, both ways.
//
// aos_staged(float4* particles, size_t n, float dt)
// Launch: ceil(n / 256) blocks (at least 1) of 256 threads. particles has 2 n packs, 16-byte aligned.
constexpr unsigned THREADS = 256;

// ANCHOR: kernel
extern "C" __global__ void __launch_bounds__(THREADS)
    aos_staged(float4* particles, size_t n, float dt) {
    __shared__ float4 tile[2 * THREADS];
    size_t first = size_t(blockIdx.x) * 2 * THREADS, packs = 2 * n;
    unsigned t = threadIdx.x;
    for (unsigned k = t; k < 2 * THREADS && first + k < packs; k += THREADS) {
        tile[k] = particles[first + k];
    }
    __syncthreads();

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
