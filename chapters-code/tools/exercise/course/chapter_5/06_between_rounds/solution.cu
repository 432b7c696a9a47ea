// out[i] is the sum from the first element of i's segment to in[i].
//
// Launched with a block of 256 threads for each segment, at least one block; segment s is offsets[s] … offsets[s + 1] - 1.
extern "C" __global__ void scan_segments(const int* in, const unsigned* offsets, int* out, unsigned segments) {
    __shared__ int folds[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (blockIdx.x >= segments) {
        return;
    }
    unsigned end = offsets[blockIdx.x + 1];
    int carry = 0;
    for (unsigned first = offsets[blockIdx.x]; first < end; first += 256) {
        unsigned i = first + threadIdx.x;
        int x = i < end ? in[i] : 0;
        for (unsigned offset = 1; offset < 32; offset *= 2) {
            int other = __shfl_up_sync(0xffffffffu, x, offset);
            x += lane >= offset ? other : 0;
        }
        // GAP a barrier is missing somewhere in this round
        if (lane == 31) {
            folds[warp] = x;
        }
        __syncthreads();
        for (unsigned w = 0; w < 8; w++) {
            x += w < warp ? folds[w] : 0;
        }
        if (i < end) {
            out[i] = carry + x;
        }
        for (unsigned w = 0; w < 8; w++) {
            carry += folds[w];
        }
        __syncthreads();
        // SKELETON
        //|        if (lane == 31) {
        //|            folds[warp] = x;
        //|        }
        //|        __syncthreads();
        //|        for (unsigned w = 0; w < 8; w++) {
        //|            x += w < warp ? folds[w] : 0;
        //|        }
        //|        if (i < end) {
        //|            out[i] = carry + x;
        //|        }
        //|        for (unsigned w = 0; w < 8; w++) {
        //|            carry += folds[w];
        //|        }
        // END GAP
    }
}
