// Copies packs of 16 bytes: what reading and writing together can reach, where the driver's own copy does not
// reach more.
//
// A thread loads four packs before it stores the first, and there are as many blocks as tiles.
//
// copy_packs(const uint4* in, uint4* out, size_t packs); both 16-byte aligned, no overlap
// Launch: ceil(packs / 1024) blocks (at least 1) of exactly 256 threads. Writes out[0 .. packs].
constexpr unsigned THREADS = 256;
constexpr unsigned LOADS = 4;
constexpr unsigned TILE = THREADS * LOADS; // in packs

extern "C" __global__ void copy_packs(const uint4* __restrict__ in, uint4* __restrict__ out, size_t packs) {
    size_t start = size_t(blockIdx.x) * TILE + threadIdx.x;
    uint4 pack[LOADS];
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++) {
        if (start + k * THREADS < packs) {
            pack[k] = in[start + k * THREADS];
        }
    }
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++) {
        if (start + k * THREADS < packs) {
            out[start + k * THREADS] = pack[k];
        }
    }
}
