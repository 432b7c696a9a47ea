// exercise 8.2: cost, "longest warp"
extern "C" __global__ void all_reduce(const int* in, unsigned long long* received, unsigned long long* other_received, int* out,
                                      size_t n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (size_t i = 0; i < n; i++) {
            unsigned long long word = 1ull << 32 | unsigned(in[i]);
            asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(other_received + i), "l"(word) : "memory");
        }
        for (size_t i = 0; i < n; i++) {
            unsigned long long word;
            do {
                asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(received + i) : "memory");
            } while (word >> 32 == 0);
            out[i] = in[i] + int(unsigned(word));
        }
    }
}
