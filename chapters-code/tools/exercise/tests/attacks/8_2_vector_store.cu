// exercise 8.2: torn-vector, ""
// a vector store is two scalar stores in unspecified order (PTX memory model): the flag may arrive before the element
// The sum of the arrays of two devices, on both: each runs this kernel, at the same time.
//
// Launched with ceil(n / 256) blocks of 256 threads, at least one and at most 32, on each device. received is in the device's own
// memory, other_received in that of the other device. All words are 0 before.

// Sends an element, with 1 in the high half of the word.
__device__ void send(unsigned long long* to, int x) {
    unsigned long long word = 1ull << 32 | unsigned(x);
    asm volatile("st.relaxed.sys.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(x), "r"(unsigned(word >> 32)) : "memory");
}

// Waits for a word, and returns its element.
__device__ int receive(unsigned long long* from) {
    unsigned long long word;
    do {
        asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    } while (word >> 32 == 0);
    return int(unsigned(word));
}

extern "C" __global__ void all_reduce(const int* in, unsigned long long* received, unsigned long long* other_received, int* out,
                                      size_t n) {
    size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x, threads = size_t(gridDim.x) * blockDim.x;
    for (size_t i = first; i < n; i += threads) {
        send(other_received + i, in[i]);
    }
    for (size_t i = first; i < n; i += threads) {
        out[i] = in[i] + receive(received + i);
    }
}
