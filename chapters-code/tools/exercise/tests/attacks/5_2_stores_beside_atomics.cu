// exercise 5.2: lost-update, "atomic by"
// A segment whose neighbour begins in another word takes the plain way; the one after next may begin there, too.
extern "C" __global__ void set_bits(const unsigned* offsets, unsigned* bits, unsigned segments) {
    unsigned s = blockIdx.x * 256 + threadIdx.x;
    if (s >= segments || offsets[s] == offsets[s + 1]) return;
    unsigned begin = offsets[s], end = offsets[s + 1], bit = 1u << begin % 32;
    if (end - begin > 3) {
        bits[begin / 32] |= bit;
    } else {
        atomicOr(bits + begin / 32, bit);
    }
}
