// Bit p % 32 of bits[p / 32] becomes 1 where a segment that is not empty begins at place p.
//
// Launched with one thread per segment, blocks of 256; segment s is offsets[s] … offsets[s + 1] - 1. All bits are 0 before.
extern "C" __global__ void set_bits(const unsigned* offsets, unsigned* bits, unsigned segments) {
    unsigned s = blockIdx.x * 256 + threadIdx.x;
    // GAP set the bit of segment s
    if (s >= segments) {
        return;
    }
    unsigned begin = offsets[s];
    if (begin < offsets[s + 1]) {
        atomicOr(&bits[begin / 32], 1u << begin % 32);
    }
    // END GAP
}
