// A pair in a register and a word in shared memory each, two barriers a step.
extern "C" __global__ void scan_blocks(const int* in, const unsigned char* flags, int* out, size_t n) {
    __shared__ int values[256];
    __shared__ int heads[256];
    int t = threadIdx.x;
    size_t i = blockIdx.x * size_t(256) + t;
    int value = i < n ? in[i] : 0, head = i < n ? flags[i] : 0;
    for (int offset = 1; offset < 256; offset *= 2) {
        values[t] = value;
        heads[t] = head;
        __syncthreads();
        if (t >= offset) {
            if (!head) value += values[t - offset];
            head |= heads[t - offset];
        }
        __syncthreads();
    }
    if (i < n) out[i] = value;
}
