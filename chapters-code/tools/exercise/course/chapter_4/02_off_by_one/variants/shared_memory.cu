// Each lane counts those before it by itself.
extern "C" __global__ void compact(const int* in, const unsigned char* mask, int* out, unsigned* kept, size_t n) {
    __shared__ unsigned char keeps[32];
    int lane = threadIdx.x;
    keeps[lane] = lane < n && mask[lane] ? 1 : 0;
    __syncwarp();
    int place = 0;
    for (int before = 0; before < lane; before++) place += keeps[before];
    if (keeps[lane]) out[place] = in[lane];
    if (lane == 31) kept[0] = place + keeps[31];
}
