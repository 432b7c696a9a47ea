// exercise 8.3: cost, "longest warp"
extern "C" __global__ void all_reduce(const int* in, int* published, unsigned* flags, int* other_published, unsigned* other_flags,
                                      int* out, size_t n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (size_t i = 0; i < n; i++) {
            published[i] = in[i];
        }
        asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(other_flags), "r"(1) : "memory");
        unsigned seen;
        do {
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags) : "memory");
        } while (seen == 0);
        for (size_t i = 0; i < n; i++) {
            out[i] = in[i] + other_published[i];
        }
    }
}
