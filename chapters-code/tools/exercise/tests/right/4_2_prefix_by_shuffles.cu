// exercise 4.2
// The number of selected elements before a lane, by a scan of shuffles.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    unsigned lane = threadIdx.x;
    int select = lane < n && mask[lane] ? 1 : 0, x = select;
    for (int d = 1; d < 32; d += d) {
        int y = __shfl_up_sync(~0u, x, d);
        x += lane >= d ? y : 0;
    }
    if (select) out[x - 1] = in[lane];
    if (lane == 31) *selected = x;
}
