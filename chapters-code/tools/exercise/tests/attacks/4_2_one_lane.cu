// exercise 4.2: cost, "longest warp"
// One lane counts as it goes; no place has to be computed.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* kept, size_t n) {
    if (threadIdx.x) return;
    unsigned place = 0;
    for (unsigned i = 0; i < n; i++) {
        if (mask[i]) out[place++] = in[i];
    }
    kept[0] = place;
}
