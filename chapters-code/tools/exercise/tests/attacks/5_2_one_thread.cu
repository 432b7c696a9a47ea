// exercise 5.2: cost, "longest warp"
// One thread needs no atomic.
extern "C" __global__ void set_bits(const unsigned* offsets, unsigned* bits, unsigned segments) {
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y) return;
    for (unsigned s = 0; s < segments; s++) {
        if (offsets[s] < offsets[s + 1]) bits[offsets[s] / 32] |= 1u << offsets[s] % 32;
    }
}
