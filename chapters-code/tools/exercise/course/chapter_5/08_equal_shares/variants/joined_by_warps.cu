// Each share has loops of its own, over segments and over elements, that end with the share. In join, lanes that add to the same
// segment do so together.
__device__ unsigned ends(const unsigned* offsets, unsigned segments, unsigned d) {
    unsigned s = 0;
    for (unsigned step = 1u << 31; step > 0; step /= 2) {
        unsigned next = s + step;
        if (next > s && next <= segments && offsets[next] + next <= d) s = next;
    }
    return s;
}

extern "C" __global__ void walk(const int* in, const unsigned* offsets, int* out, unsigned n, unsigned segments, int* open, unsigned* ended) {
    unsigned t = blockIdx.x * 128 + threadIdx.x, share = (n + segments + 2047) / 2048;
    unsigned d = min(t * share, n + segments), last = min(d + share, n + segments);
    unsigned s = ends(offsets, segments, d), final = ends(offsets, segments, last), i = d - s;
    int sum = 0;
    for (; s < final; s++) {
        for (unsigned end = offsets[s + 1]; i < end; i++) sum += in[i];
        out[s] = sum;
        sum = 0;
    }
    for (; i < last - final; i++) sum += in[i];
    open[t] = sum;
    ended[t] = final;
}

extern "C" __global__ void join(int* out, unsigned segments, const int* open, const unsigned* ended) {
    unsigned t = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32, s = ended[t];
    int x = open[t];
    // The shares of a warp are open in segments that only grow: a scan that stops at others.
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int other = __shfl_down_sync(0xffffffffu, x, offset);
        unsigned whose = __shfl_down_sync(0xffffffffu, s, offset);
        if (lane + offset < 32 && whose == s) x += other;
    }
    unsigned before = __shfl_up_sync(0xffffffffu, s, 1);
    if (s < segments && (lane == 0 || before != s)) atomicAdd(out + s, x);
}
