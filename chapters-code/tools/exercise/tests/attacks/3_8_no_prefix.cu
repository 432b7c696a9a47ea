// exercise 3.8: cost|endless, ""
// Every tile looks back to the very first one.
__device__ void publish(unsigned long long* slot, int value, unsigned tag) {
    unsigned long long word = (unsigned long long)tag << 32 | unsigned(value);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(slot)), "l"(word) : "memory");
}

__device__ unsigned long long look(unsigned long long* slot) {
    unsigned long long word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(__cvta_generic_to_global(slot)) : "memory");
    return word;
}

__device__ int block_scan(int x) {
    __shared__ int folds[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int other = __shfl_up_sync(0xffffffffu, x, offset);
        x += lane >= offset ? other : 0;
    }
    if (lane == 31) folds[warp] = x;
    __syncthreads();
    for (unsigned k = 0; k < warp; k++) x += folds[k];
    return x;
}

extern "C" __global__ void scan(const int* in, int* out, size_t n, unsigned long long* status, unsigned* counter) {
    __shared__ unsigned tile;
    __shared__ int before_tile;
    if (threadIdx.x == 0) tile = atomicAdd(counter, 1);
    __syncthreads();
    size_t i = size_t(tile) * 256 + threadIdx.x;
    int scanned = block_scan(i < n ? in[i] : 0);
    if (threadIdx.x == 255) {
        int before = 0;
        publish(&status[tile], scanned, 1);
        for (unsigned t = tile; t > 0; t--) {
            unsigned long long word;
            do {
                word = look(&status[t - 1]);
            } while (word >> 32 == 0);
            before += int(word);
            if (word >> 32 == 2) break;
        }

        before_tile = before;
    }
    __syncthreads();
    if (i < n) out[i] = before_tile + scanned;
}
