// Broken: the copy with an offset, onto itself. A thread may read its neighbour's element before or after
// the neighbour has written it.
//
// in_place_shift(float* data, size_t n, size_t offset): data[i] = data[i + offset]
// Launch as offset_loads.cu. data has n + offset elements.

// ANCHOR: kernel
extern "C" __global__ void in_place_shift(float* data, size_t n, size_t offset) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = data[i + offset];
    }
}
// ANCHOR_END: kernel
