// exercise 5.4
// The head's lane by a scan of maxima.
extern "C" __global__ void scan_warps(const int* in, const unsigned char* flags, int* out, size_t n) {
    int lane = threadIdx.x % 32;
    size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    int own = i < n ? in[i] : 0, x = own, head = lane == 0 || (i < n && flags[i]) ? lane : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(~0u, head, d);
        if (lane >= d) head = max(head, other);
    }
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(~0u, x, d);
        if (lane - d >= head) x += other;
    }
    if (i < n) out[i] = x - own;
}
