// exercise 8.1
// polls by clock: looks again only after 100 cycles
// The sum of the arrays of two devices, on both: each runs this kernel, at the same time.
//
// Launched with ceil(n / 256) blocks of 256 threads, at least one and at most 32, on each device. in, received, flags and out
// are in the device's own memory, other_received and other_flags in that of the other device. All flags are 0 before, one per
// block.
extern "C" __global__ void all_reduce(const int* in, int* received, unsigned* flags, int* other_received, unsigned* other_flags,
                                      int* out, size_t n) {
    size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x, threads = size_t(gridDim.x) * blockDim.x;
    for (size_t i = first; i < n; i += threads) {
        other_received[i] = in[i];
    }

    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(other_flags + blockIdx.x), "r"(1) : "memory");
        unsigned seen;
        do {
            long long start = clock64();
            while (clock64() - start < 100) {
            }
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags + blockIdx.x) : "memory");
        } while (seen == 0);
    }
    __syncthreads();

    for (size_t i = first; i < n; i += threads) {
        out[i] = in[i] + received[i];
    }
}
