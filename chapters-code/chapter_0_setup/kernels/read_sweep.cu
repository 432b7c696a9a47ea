// Reads packs of 16 bytes and keeps nothing: what reading alone can reach, the ceiling of every
// reduction.
//
// A compiler drops loads whose values are not used, so the words are combined, and written only if
// they come out as a value that hardly ever occurs.
//
// read_sweep(const uint4* in, unsigned* out, size_t packs); in 16-byte aligned, out one word, whose
// content is of no interest
// Launch: min(ceil(packs / block), 8 * multiprocessors) blocks (at least 1), 256 threads.
constexpr unsigned LOADS = 4;
constexpr unsigned UNLIKELY = 0x9e3779b9u;

extern "C" __global__ void read_sweep(const uint4* __restrict__ in, unsigned* __restrict__ out,
                                      size_t packs) {
    size_t grid = size_t(gridDim.x) * blockDim.x;
    unsigned bits = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < packs; i += LOADS * grid) {
        uint4 pack[LOADS];
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            pack[k] = in[min(i + k * grid, packs - 1)];
        }
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            bits ^= pack[k].x ^ pack[k].y ^ pack[k].z ^ pack[k].w;
        }
    }
    if (bits == UNLIKELY) {
        *out = bits;
    }
}
