// exercise 5.4: wrong|segment-cut|head-ignored, ""
// An element that is 0 does not begin a segment.
extern "C" __global__ void scan_warps(const int* in, const unsigned char* flags, int* out, size_t n) {
    unsigned lane = threadIdx.x % 32;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int own = i < n ? in[i] : 0, x = own;
    bool is_head = i < n && (flags[i] != 0 || own == 0);
    unsigned heads = __ballot_sync(0xffffffffu, is_head) | 1;
    unsigned head = 31 - __clz(heads & (0xffffffffu >> (31 - lane)));
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int other = __shfl_up_sync(0xffffffffu, x, offset);
        if (lane >= head + offset) x += other;
    }
    if (i < n) out[i] = x - own;
}
