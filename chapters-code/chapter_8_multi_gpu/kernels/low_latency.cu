// No barrier at all: each element travels together with a flag, in one word of 8 bytes. A thread that sees the flag
// has the element. (NCCL has such a protocol, called LL, for low latency.)
//
// low_latency_<devices>(Pointers in, float* out, Words received, Launches launches, int device, size_t n)
// Launch: the same grid on every device, all blocks resident. `received` has 2 * n words per device that sends: launches
// with an even and with an odd epoch take turns. `launches` has a word per block. All words are 0 before the first launch.
#include "add_packs.cuh"
#include "launches.cuh"

typedef unsigned long long u64;

// For each device, the words that the others send to it.
struct Words {
    u64* of[MOST];
};

// ANCHOR: low_latency
__device__ void send(u64* to, float element, unsigned epoch) {
    u64 word = u64(epoch) << 32 | __float_as_uint(element);
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

__device__ float receive(const u64* from, unsigned epoch) {
    u64 word;
    do {
        asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    } while (unsigned(word >> 32) != epoch);
    return __uint_as_float(unsigned(word));
}

template <int DEVICES>
__device__ void low_latency(const Pointers& in, float* out, const Words& received,
                            Launches launches, int device, size_t n) {
    unsigned epoch = launches.epoch();
    size_t turn = (epoch % 2) * DEVICES * n;
    size_t threads = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) {
        float own = in.of[device][i];
#pragma unroll
        for (int k = 1; k < DEVICES; ++k) {
            send(received.of[(device + k) % DEVICES] + turn + device * n + i, own, epoch);
        }
        float element[DEVICES];
#pragma unroll
        for (int d = 0; d < DEVICES; ++d) {
            element[d] =
                d == device ? own : receive(received.of[device] + turn + d * n + i, epoch);
        }
        out[i] = add<DEVICES>(element);
    }
    __syncthreads();
    launches.count(epoch);
}
// ANCHOR_END: low_latency

#define LOW_LATENCY(DEVICES)                                                                       \
    extern "C" __global__ void low_latency_##DEVICES(                                              \
        const __grid_constant__ Pointers in, float* out, const __grid_constant__ Words received,   \
        Launches launches, int device, size_t n) {                                                 \
        low_latency<DEVICES>(in, out, received, launches, device, n);                              \
    }
KERNELS_OF(LOW_LATENCY)
