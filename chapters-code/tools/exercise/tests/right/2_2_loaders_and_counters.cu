// exercise 2.2
extern "C" __global__ void histogram(const unsigned* keys, unsigned* counts, size_t n) {
    __shared__ unsigned local[256], room[2][128];
    unsigned t = threadIdx.x;
    local[t] = 0;
    __syncthreads();
    size_t step = size_t(gridDim.x) * 128;
    unsigned r = 0;
    if (t < 128) {
        for (size_t first = size_t(blockIdx.x) * 128; first < n; first += step, r ^= 1) {
            // room r free?
            asm volatile("bar.sync %0, 256;" ::"r"(3 + r) : "memory");
            room[r][t] = first + t < n ? keys[first + t] : 0xffffffffu;
            asm volatile("bar.arrive %0, 256;" ::"r"(1 + r) : "memory");
        }
    } else {
        for (unsigned k = 0; k < 2; k++) {
            size_t f = size_t(blockIdx.x) * 128 + k * step;
            if (f < n) asm volatile("bar.arrive %0, 256;" ::"r"(3 + k) : "memory");
        }
        for (size_t first = size_t(blockIdx.x) * 128; first < n; first += step, r ^= 1) {
            asm volatile("bar.sync %0, 256;" ::"r"(1 + r) : "memory");
            unsigned key = room[r][t - 128];
            if (key < 256) atomicAdd(&local[key], 1);
            if (first + 2 * step < n) asm volatile("bar.arrive %0, 256;" ::"r"(3 + r) : "memory");
        }
    }
    __syncthreads();
    if (local[t]) atomicAdd(&counts[t], local[t]);
}
