// Each thread searches along its diagonal for the element, not for the segment; empty shares leave early.
extern "C" __global__ void walk(const int* __restrict__ in, const unsigned* __restrict__ offsets, int* out, unsigned n,
                                unsigned segments, int* open, unsigned* ended) {
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    const unsigned long long path = (unsigned long long)n + segments;
    const unsigned begin = path * id / all, end = path * (id + 1) / all;
    // The number of elements before the diagonal is between these.
    unsigned low = begin > segments ? begin - segments : 0, high = min(begin, n);
    while (low < high) {
        const unsigned elements = (low + high) / 2;
        // The next element belongs to the first steps, if its segment is not behind them.
        if (elements < offsets[begin - elements]) low = elements + 1;
        else high = elements;
    }
    unsigned at = low, segment = begin - low;
    int sum = 0;
    unsigned stop = segment < segments ? offsets[segment + 1] : 0;
    for (unsigned left = end - begin; left > 0; left--) {
        if (at < stop) {
            sum += in[at];
            at += 1;
            continue;
        }
        out[segment] = sum;
        sum = 0;
        segment += 1;
        if (segment < segments) stop = offsets[segment + 1];
    }
    open[id] = sum;
    ended[id] = segment;
}

extern "C" __global__ void join(int* out, unsigned segments, const int* open, const unsigned* ended) {
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = open[id];
    if (x != 0) atomicAdd(out + ended[id], x);
}
