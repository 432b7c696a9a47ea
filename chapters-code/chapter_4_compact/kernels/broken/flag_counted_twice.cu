// Broken: the exclusive scan of the flags, made from the inclusive one, jumps by two where it should by
// one: what comes before i is inclusive[i - 1], and here its flag is added once more. After an element
// that is not selected the index is right, so that a mask that alternates shows nothing.
//
// flags_mask_b32 and mask_b32, arguments and launch as scan_then_scatter.cu; `inclusive` is the inclusive
// scan.
#include "../compact.cuh"

extern "C" __global__ void flags_mask_b32(const b32* __restrict__, u32* __restrict__ to, size_t n,
                                          const void* __restrict__ mask, u64 pivot) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = CHOICE(Mask, b32).selects(i, 0);
    }
}

extern "C" __global__ void mask_b32(PARAMETERS(b32), const u32* __restrict__ inclusive) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    Mask<b32> by = CHOICE(Mask, b32);
    // ANCHOR: index
    u32 before = i > 0 ? inclusive[i - 1] + by.selects(i - 1, 0) : 0;
    if (by.selects(i, 0)) {
        OUTPUT(b32).put(before, in[i]);
    }
    // ANCHOR_END: index
    if (i == n - 1) {
        *selected = inclusive[i];
    }
}
