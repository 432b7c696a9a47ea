// exercise 5.2: out-of-bounds|not-selected|beside-output, ""
// An empty segment at the end begins where no element is.
extern "C" __global__ void set_bits(const unsigned* offsets, unsigned* bits, unsigned segments) {
    unsigned s = blockIdx.x * 256 + threadIdx.x;
    if (s < segments) atomicOr(&bits[offsets[s] / 32], 1u << offsets[s] % 32);
}
