// exercise 3.8: missing-fence, "misses the write"
// Value and flag in two volatile words, with no fence.
struct Prefix {
    int value;
    unsigned flag;
};

__device__ void publish(Prefix* p, int value) {
    *(volatile int*)&p->value = value;
    *(volatile unsigned*)&p->flag = 1;
}

__device__ int wait(Prefix* p) {
    while (*(volatile unsigned*)&p->flag == 0) {
    }
    return *(volatile int*)&p->value;
}

extern "C" __global__ void scan(const int* in, int* out, size_t n, unsigned long long* status, unsigned* counter) {
    __shared__ int words[256];
    __shared__ unsigned tile;
    __shared__ int before;
    unsigned tid = threadIdx.x;
    Prefix* prefixes = (Prefix*)status;
    if (tid == 0) tile = atomicAdd(counter, 1);
    __syncthreads();
    size_t i = size_t(tile) * 256 + tid;
    int x = i < n ? in[i] : 0;
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        words[tid] = x;
        __syncthreads();
        if (tid >= offset) x += words[tid - offset];
        __syncthreads();
    }
    if (tid == 255) {
        before = tile == 0 ? 0 : wait(&prefixes[tile - 1]);
        publish(&prefixes[tile], before + x);
    }
    __syncthreads();
    if (i < n) out[i] = before + x;
}
