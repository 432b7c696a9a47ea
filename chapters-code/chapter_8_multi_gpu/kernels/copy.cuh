// Copies elements by all threads of a grid.
#pragma once

// ANCHOR: copy
// Copies elements: packs of four where both addresses are multiples of 16 bytes, and the rest one by one.
__device__ void copy(float* to, const float* from, size_t elements) {
    size_t threads = size_t(gridDim.x) * blockDim.x;
    size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t packs = (size_t(to) | size_t(from)) % 16 == 0 ? elements / 4 : 0;
    for (size_t pack = thread; pack < packs; pack += threads) {
        reinterpret_cast<float4*>(to)[pack] = reinterpret_cast<const float4*>(from)[pack];
    }
    for (size_t i = 4 * packs + thread; i < elements; i += threads) {
        to[i] = from[i];
    }
}
// ANCHOR_END: copy

// n elements are divided into one part per device, of `part` elements each; the last ones may be shorter. The length of a
// device's part.
__device__ size_t elements_of(int device, size_t part, size_t n) {
    size_t begin = min(device * part, n);
    return min(part, n - begin);
}
