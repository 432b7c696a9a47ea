// exercise 5.8
// The search halves the number of steps that are left; join adds up a block's shares in shared memory first.
const unsigned SHARES = 2048;

// How many segments end in the first `distance` steps of the path.
__device__ unsigned ended_before(const unsigned* offsets, unsigned segments, unsigned distance) {
    // A search in steps that halve.
    unsigned low = 0;
    for (unsigned step = segments; step > 0;) {
        unsigned half = step / 2;
        bool is_before = offsets[low + half + 1] + low + half < distance;
        low += is_before ? half + 1 : 0;
        step = is_before ? step - half - 1 : half;
    }
    return low;
}

extern "C" __global__ void walk(const int* in, const unsigned* offsets, int* out, unsigned n, unsigned segments, int* open,
                                unsigned* ended) {
    unsigned t = blockIdx.x * 128 + threadIdx.x;
    unsigned length = n + segments, share = (length + SHARES - 1) / SHARES;
    unsigned from = min(t * share, length), to = min(from + share, length);
    unsigned s = ended_before(offsets, segments, from), i = from - s;
    int sum = 0;
    for (unsigned step = from; step < to; step++) {
        if (i < offsets[s + 1]) {
            sum += in[i++];
        } else {
            out[s++] = sum;
            sum = 0;
        }
    }
    open[t] = sum;
    ended[t] = s;
}

extern "C" __global__ void join(int* out, unsigned segments, const int* open, const unsigned* ended) {
    // Sums of the 128 segments from the one on that is open first; those beyond, if there are any, go straight to memory.
    __shared__ int sums[128];
    unsigned t = blockIdx.x * 128 + threadIdx.x, base = ended[blockIdx.x * 128], which = ended[t] - base;
    sums[threadIdx.x] = 0;
    __syncthreads();
    if (which < 128) {
        atomicAdd(&sums[which], open[t]);
    } else if (ended[t] < segments) {
        atomicAdd(&out[ended[t]], open[t]);
    }
    __syncthreads();
    if (sums[threadIdx.x] != 0) atomicAdd(&out[base + threadIdx.x], sums[threadIdx.x]);
}
