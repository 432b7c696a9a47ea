// exercise 5.2: not-selected|wrong|lost-element, ""
// Empty segments add their bit to that of the next.
extern "C" __global__ void set_bits(const unsigned* offsets, unsigned* bits, unsigned segments) {
    unsigned s = blockIdx.x * 256 + threadIdx.x;
    if (s < segments && offsets[s] < offsets[segments]) atomicAdd(&bits[offsets[s] / 32], 1u << offsets[s] % 32);
}
