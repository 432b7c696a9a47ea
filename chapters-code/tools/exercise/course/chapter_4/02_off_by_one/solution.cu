// The selected elements of n, in their order, go to the front of out; how many there are, to selected[0].
//
// Launched with one warp; n is 32 at most. A byte of the mask is 0 where an element is not selected, and anything else where it is.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    unsigned lane = threadIdx.x;
    // GAP three lines of this kernel are wrong
    unsigned flag = lane < n && mask[lane] != 0;
    // SKELETON
    //|    unsigned flag = lane < n ? mask[lane] : 0;
    // END GAP
    unsigned scanned = flag;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        unsigned other = __shfl_up_sync(0xffffffffu, scanned, offset);
        scanned += lane >= offset ? other : 0;
    }
    // GAP
    unsigned index = scanned - flag;
    // SKELETON
    //|    unsigned index = scanned + flag;
    // END GAP
    if (flag != 0) {
        out[index] = in[lane];
    }
    if (lane == 31) {
        // GAP
        selected[0] = scanned;
        // SKELETON
        //|        selected[0] = index;
        // END GAP
    }
}
