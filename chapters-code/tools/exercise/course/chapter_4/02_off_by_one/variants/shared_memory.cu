// Each lane counts those before it by itself.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* selected, size_t n) {
    __shared__ unsigned char selects[32];
    int lane = threadIdx.x;
    selects[lane] = lane < n && mask[lane] ? 1 : 0;
    __syncwarp();
    int index = 0;
    for (int before = 0; before < lane; before++) index += selects[before];
    if (selects[lane]) out[index] = in[lane];
    if (lane == 31) selected[0] = index + selects[31];
}
