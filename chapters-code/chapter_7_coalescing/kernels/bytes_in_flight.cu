// Reads packs of 16 bytes, with a fixed number of loads of a thread in flight at a time: what a
// multiprocessor has asked for and not yet got is then known, and its rate says how long a load takes.
//
// Between two rounds a thread uses what it has loaded, and so waits for all of it.
//
// bytes_in_flight_<loads>(const uint4* in, unsigned* out, size_t packs): thread t of all writes to out[t] the
// exclusive or of the words of the packs that it has read, which are t + k * threads of each tile of
// loads * 256 packs
// Launch: any number of blocks of 256 threads. Packs under way wait for registers, so at most 32 loads fit
// a multiprocessor's blocks together: 8 blocks of up to 4 loads, or 4 of 8.
constexpr unsigned THREADS = 256;

// ANCHOR: rounds
template <unsigned LOADS>
__device__ void read(const uint4* __restrict__ in, unsigned* __restrict__ out, size_t packs) {
    constexpr unsigned TILE = LOADS * THREADS;
    unsigned bits = 0;
    size_t step = size_t(gridDim.x) * TILE;
    for (size_t first = size_t(blockIdx.x) * TILE; first < packs; first += step) {
        uint4 pack[LOADS];
        bool is_whole = packs - first >= TILE;
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            size_t i = first + k * THREADS + threadIdx.x;
            pack[k] = is_whole || i < packs ? in[i] : uint4{};
        }
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            bits ^= pack[k].x ^ pack[k].y ^ pack[k].z ^ pack[k].w;
        }
    }
    out[size_t(blockIdx.x) * THREADS + threadIdx.x] = bits;
}
// ANCHOR_END: rounds

#define KERNEL(loads, resident)                                                                    \
    extern "C" __global__ void __launch_bounds__(THREADS, resident)                                \
        bytes_in_flight_##loads(const uint4* __restrict__ in, unsigned* __restrict__ out, size_t packs) {\
        read<loads>(in, out, packs);                                                               \
    }
KERNEL(1, 8)
KERNEL(2, 8)
KERNEL(4, 8)
KERNEL(8, 4)
