// All lanes of the consumers arrive; the producer executes the fence, once it knows that they have read.
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void await(unsigned long long* barrier, unsigned parity) {
    asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again; }" ::"r"(at(barrier)), "r"(parity) : "memory");
}

extern "C" __global__ void sums(const int* __restrict__ in, int* __restrict__ out, size_t n) {
    __shared__ __align__(16) int stages[2048];
    __shared__ unsigned long long full[2], empty[2];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    if (threadIdx.x < 2) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(full + threadIdx.x)) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(at(empty + threadIdx.x)) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    const size_t whole = n & ~size_t(3);
    unsigned phase = 0;
    int stage = 0;
    for (size_t first = blockIdx.x * size_t(1024); first < n || first == 0; first += gridDim.x * size_t(1024)) {
        if (threadIdx.x == 0) {
            // Passes at first: the phase before the first one counts as complete, and as odd.
            await(empty + stage, phase ^ 1);
            asm volatile("fence.proxy.async;" ::: "memory");
            unsigned bytes = first < whole ? unsigned(min(whole - first, size_t(1024)) * 4) : 0;
            asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at(full + stage)), "r"(bytes) : "memory");
            if (bytes) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(stages + 1024 * stage)), "l"(in + first), "r"(bytes), "r"(at(full + stage)) : "memory");
            asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at(full + stage)) : "memory");
        }
        if (warp > 0) {
            await(full + stage, phase);
            int x = 0;
            const size_t begin = first + (warp - 1) * 256;
            for (size_t i = begin + lane; i < min(begin + 256, n); i += 32) x += i < whole ? stages[1024 * stage + i - first] : in[i];
            asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at(empty + stage)) : "memory");
            for (int with = 16; with; with >>= 1) x += __shfl_xor_sync(~0u, x, with);
            if (lane == 0 && (begin < n || begin == 0)) out[begin / 256] = x;
        }
        stage ^= 1;
        if (stage == 0) phase ^= 1;
    }
}
