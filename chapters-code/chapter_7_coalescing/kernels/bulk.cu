// A copy by no thread at all: one thread of a block asks for 4 KiB to be brought to shared memory and taken
// away again, and waits. The bytes pass through no registers.
//
// ptx: compute_90
//
// bulk(const float* in, float* out, size_t n); both 16-byte aligned
// Launch: ceil(n / 1024) blocks (at least 1) of 32 threads. Writes out[0 .. n].
#include "../../chapter_3_scan/kernels/pipeline.cuh"

constexpr unsigned CHUNK = 4096; // bytes

// Starts a copy of bytes, a multiple of 16, from shared to global memory, and waits until it has read them.
__device__ inline void bulk_store(void* global, const void* shared, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :: "l"(__cvta_generic_to_global(global)),
                    "r"(unsigned(__cvta_generic_to_shared(shared))), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// ANCHOR: kernel
extern "C" __global__ void __launch_bounds__(32)
    bulk(const float* __restrict__ in, float* __restrict__ out, size_t n) {
    __shared__ __align__(128) char chunk[CHUNK];
    __shared__ Mbarrier full;
    size_t first = size_t(blockIdx.x) * CHUNK / sizeof(float);
    size_t whole = n / 4 * 4; // elements in packs
    if (threadIdx.x == 0 && first < whole) {
        unsigned bytes = unsigned(min((whole - first) * sizeof(float), size_t(CHUNK)));
        full.init(1);
        fence_mbarrier_init();
        full.arrive_and_expect(bytes);
        bulk_copy(chunk, in + first, bytes, full);
        full.wait(0);
        bulk_store(out + first, chunk, bytes);
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x < n % 4) {
        out[whole + threadIdx.x] = in[whole + threadIdx.x];
    }
}
// ANCHOR_END: kernel
