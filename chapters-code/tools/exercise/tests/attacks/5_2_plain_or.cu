// exercise 5.2: lost-update|write-conflict|missing-syncwarp, ""
// Two segments begin in one word.
extern "C" __global__ void set_bits(const unsigned* offsets, unsigned* bits, unsigned segments) {
    unsigned s = blockIdx.x * 256 + threadIdx.x;
    if (s < segments && offsets[s] < offsets[s + 1]) bits[offsets[s] / 32] |= 1u << offsets[s] % 32;
}
