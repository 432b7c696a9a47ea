// The exclusive segmented scan of each warp by itself: out[i] is the sum of what lies before element i in its segment and warp.
//
// Launched with ceil(n / 256) blocks of 256 threads, at least one. flags[i] is 1 where a segment begins.
extern "C" __global__ void scan_warps(const int* in, const unsigned char* flags, int* out, size_t n) {
    unsigned lane = threadIdx.x % 32;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int x = i < n ? in[i] : 0;
    bool is_head = i < n && flags[i] != 0;
    // GAP vote, find the lane of the segment's head, scan by shuffles, and store
    unsigned heads = __ballot_sync(0xffffffffu, is_head) | 1;
    unsigned head = 31 - __clz(heads & (0xffffffffu >> (31 - lane)));
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int other = __shfl_up_sync(0xffffffffu, x, offset);
        if (lane >= head + offset) {
            x += other;
        }
    }
    int before = __shfl_up_sync(0xffffffffu, x, 1);
    if (i < n) {
        out[i] = lane == head ? 0 : before;
    }
    // END GAP
}
