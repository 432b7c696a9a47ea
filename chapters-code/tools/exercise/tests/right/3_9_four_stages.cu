// exercise 3.9
// Four stages of half a tile each; the first four are filled before the loop, and each stage is filled again when it was read.
#define AT(p) ((unsigned)__cvta_generic_to_shared(p))

__device__ void fill(int* stage, unsigned long long* full, const int* in, size_t n, size_t first) {
    unsigned bytes = first < n / 4 * 4 ? (unsigned)min(n / 4 * 4 - first, (size_t)512) * 4 : 0;
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(AT(full)), "r"(bytes) : "memory");
    if (bytes > 0) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(AT(stage)), "l"(in + first), "r"(bytes), "r"(AT(full)) : "memory");
    }
}

__device__ void await(unsigned long long* barrier, unsigned parity) {
    unsigned done = 0;
    while (!done) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(AT(barrier)), "r"(parity) : "memory");
}

extern "C" __global__ void sums(const int* in, int* out, size_t n) {
    __shared__ alignas(16) int stages[4][512];
    __shared__ unsigned long long full[4], empty[4];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t step = gridDim.x * (size_t)512, begin = blockIdx.x * (size_t)512;
    if (threadIdx.x == 159) {
        for (int s = 0; s < 4; s++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(AT(&full[s])) : "memory");
            asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(AT(&empty[s])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int s = 0; s < 4; s++) fill(stages[s], &full[s], in, n, begin + s * step);
    }
    __syncthreads();
    unsigned round = 0;
    for (size_t first = begin; first < n || first == 0; first += step, round++) {
        unsigned s = round % 4, parity = round / 4 % 2;
        if (warp == 4) {
            await(&empty[s], parity);
            if (lane == 31 && first + 4 * step < n) fill(stages[s], &full[s], in, n, first + 4 * step);
        } else if (round % 2 == warp / 2) {
            unsigned half = warp % 2;
            await(&full[s], parity);
            int sum = 0;
            for (unsigned i = half * 256 + lane; i < half * 256 + 256; i += 32) {
                size_t at = first + i;
                if (at < n) sum += at < n / 4 * 4 ? stages[s][i] : in[at];
            }
            sum = __reduce_add_sync(0xffffffffu, sum);
            asm volatile("fence.proxy.async;" ::: "memory");
            __syncwarp();
            if (lane == 0) {
                asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(AT(&empty[s])) : "memory");
                if (first + half * 256 < n || first + half == 0) out[first / 256 + half] = sum;
            }
        }
    }
}
