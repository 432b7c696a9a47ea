// Each bit has one writer, so that an addition never carries.
extern "C" __global__ void set_bits(const unsigned* __restrict__ offsets, unsigned* bits, unsigned segments) {
    const unsigned s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < segments) {
        const unsigned begin = offsets[s], end = offsets[s + 1];
        if (end != begin) atomicAdd(bits + (begin >> 5), 1u << (begin & 31));
    }
}
