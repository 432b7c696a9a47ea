// exercise 3.9: abandoned-copy, "copy not waited for"
// The next tile is the first one again behind the last, and no thread waits for it.
// No roles: a thread starts the copy of the next tile, and all add up this one. A barrier hands the stage back.
#define SHARED(p) ((unsigned)__cvta_generic_to_shared(p))

struct Pipeline {
    unsigned long long full[2];
    alignas(128) int tiles[2][1024];

    __device__ void start(const int* in, size_t n, size_t first, unsigned round) {
        if (first >= n / 4 * 4) return;
        unsigned bytes = (unsigned)min(n / 4 * 4 - first, size_t(1024)) * 4;
        unsigned barrier = SHARED(&full[round % 2]);
        asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(barrier), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(tiles[round % 2])), "l"(in + first), "r"(bytes), "r"(barrier) : "memory");
    }
    __device__ void wait(unsigned round) {
        unsigned done = 0;
        while (!done) asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(SHARED(&full[round % 2])), "r"(round / 2 % 2) : "memory");
    }
};

extern "C" __global__ void sums(const int* in, int* out, size_t n) {
    __shared__ Pipeline pipeline;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t step = gridDim.x * size_t(1024), first = blockIdx.x * size_t(1024);
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(SHARED(&pipeline.full[s])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        pipeline.start(in, n, first, 0);
    }
    __syncthreads();
    for (unsigned round = 0; first < n || first == 0; round++, first += step) {
        if (threadIdx.x == 0) pipeline.start(in, n, first + step < n ? first + step : 0, round + 1);
        if (first < n / 4 * 4) pipeline.wait(round);
        int sum = 0;
        for (unsigned i = warp * 256 + lane; warp < 4 && i < warp * 256 + 256; i += 32) {
            size_t at = first + i;
            if (at < n) sum += at < n / 4 * 4 ? pipeline.tiles[round % 2][i] : in[at];
        }
        sum = __reduce_add_sync(0xffffffffu, sum);
        if (lane == 0 && warp < 4 && (first + warp * 256 < n || first + warp == 0)) out[first / 256 + warp] = sum;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
    }
}
