// out[s] is the sum of in[offsets[s]] … in[offsets[s + 1] - 1], of an empty segment 0.
//
// Elements and segments' ends lie on one path of n + segments steps: the elements of segment 0, its end, the elements of
// segment 1, its end, … Each of 2,048 threads takes an equal share of the steps, whatever the segments are.
//
// Both kernels are launched with 16 blocks of 128 threads; walk first, then join. open and ended have an element for each
// thread.
const unsigned SHARES = 2048;

// How many segments end in the first `distance` steps of the path.
__device__ unsigned ended_before(const unsigned* offsets, unsigned segments, unsigned distance) {
    // GAP which step of the path is the end of segment s? Search for the first that is not among these steps
    unsigned low = 0, high = segments;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (offsets[middle + 1] + middle < distance) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
    // SKELETON
    //|    return 0;
    // END GAP
}

extern "C" __global__ void walk(const int* in, const unsigned* offsets, int* out, unsigned n, unsigned segments, int* open,
                                unsigned* ended) {
    unsigned t = blockIdx.x * 128 + threadIdx.x;
    unsigned length = n + segments, share = (length + SHARES - 1) / SHARES;
    unsigned from = min(t * share, length), to = min(from + share, length);
    // GAP walk the steps from … to - 1: store the sum of each segment that ends in them, and leave the rest to join
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
    // END GAP
}

extern "C" __global__ void join(int* out, unsigned segments, const int* open, const unsigned* ended) {
    unsigned t = blockIdx.x * 128 + threadIdx.x;
    // GAP add what the share has left open to the segment that it belongs to
    if (ended[t] < segments) {
        atomicAdd(&out[ended[t]], open[t]);
    }
    // END GAP
}
