// Value and flag are both shuffled, as a pair.
extern "C" __global__ void scan_warps(const int* in, const unsigned char* flags, int* out, size_t n) {
    const int lane = threadIdx.x & 31;
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    const int own = i < n ? in[i] : 0;
    const int is_head = lane == 0 || (i < n && flags[i]);
    int value = own, head = is_head;
    for (int offset = 1; offset < 32; offset <<= 1) {
        int other = __shfl_up_sync(~0u, value, offset), closed = __shfl_up_sync(~0u, head, offset);
        if (lane >= offset) {
            value = head ? value : other + value;
            head |= closed;
        }
    }
    if (i < n) out[i] = value - own;
}
