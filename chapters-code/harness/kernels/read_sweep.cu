// Reads packs of 16 bytes and keeps nothing: what reading alone can reach, the ceiling of every
// reduction.
//
// A compiler drops loads whose values are not used, so the words are combined, and written only if
// they come out as a value that hardly ever occurs. A block reads a tile, all loads of a thread
// before it uses the first, and is gone: with nothing to pass on, blocks cost next to nothing, so
// there are as many as tiles.
//
// read_sweep(const uint4* in, unsigned* out, size_t packs); in 16-byte aligned, out one word, whose
// content is of no interest
// Launch: ceil(packs / 1024) blocks (at least 1) of exactly 256 threads. With fewer blocks each
// reads several tiles, more slowly.
constexpr unsigned THREADS = 256;
constexpr unsigned LOADS = 4;
constexpr unsigned TILE = THREADS * LOADS; // in packs
constexpr unsigned UNLIKELY = 0x9e3779b9u;

extern "C" __global__ void read_sweep(const uint4* __restrict__ in, unsigned* __restrict__ out,
                                      size_t packs) {
    unsigned bits = 0;
    size_t grid = size_t(gridDim.x) * TILE;
    for (size_t start = size_t(blockIdx.x) * TILE; start < packs; start += grid) {
        unsigned count = unsigned(min(packs - start, size_t(TILE)));
        uint4 pack[LOADS];
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            pack[k] = in[start + min(k * THREADS + threadIdx.x, count - 1)];
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
