// Another way: scan the places of the heads by max, and add nothing from before them.
extern "C" __global__ void scan_blocks(const int* in, const unsigned char* flags, int* out, size_t n) {
    __shared__ int values[256], places[256];
    int t = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + t;
    int x = 0, place = 0;
    if (i < n) {
        x = in[i];
        if (flags[i]) place = t;
    }
    for (int offset = 1; offset < 256; offset *= 2) {
        places[t] = place;
        __syncthreads();
        if (t >= offset) place = max(place, places[t - offset]);
        __syncthreads();
    }
    for (int offset = 1; offset < 256; offset *= 2) {
        values[t] = x;
        __syncthreads();
        if (t - offset >= place) x += values[t - offset];
        __syncthreads();
    }
    if (i < n) out[i] = x;
}
