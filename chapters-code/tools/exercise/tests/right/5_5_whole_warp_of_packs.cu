// exercise 5.5
// Four loads are under way at once.
extern "C" __global__ void reduce(const int* in, const unsigned* offsets, int* out, unsigned segments) {
    unsigned s = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (s >= segments) return;
    int x[4];
    for (int k = 0; k < 4; k++) x[k] = 0x80000000;
    unsigned end = offsets[s + 1];
    for (unsigned i = offsets[s] + lane; i < end; i += 128) {
        for (unsigned k = 0; k < 4; k++) {
            if (i + 32 * k < end) x[k] = max(x[k], in[i + 32 * k]);
        }
    }
    int m;
    asm("redux.sync.max.s32 %0, %1, 0xffffffff;" : "=r"(m) : "r"(max(max(x[0], x[1]), max(x[2], x[3]))));
    if (lane == 0) out[s] = m;
}
