// BROKEN: as push.cu, but the flag is stored without a release. Nothing orders the elements before it: a device may see the
// flag and add elements that have not arrived.
//
// push_<devices>: arguments and launch as push.cu.
#include "../add_packs.cuh"

struct Flags {
    unsigned* of[MOST];
};

// ANCHOR: missing_release
template <int DEVICES> __device__ void arrive(const Flags& flags, int device, unsigned epoch) {
    __syncthreads();
    if (threadIdx.x < DEVICES) {
        unsigned* flag = flags.of[threadIdx.x] + blockIdx.x * MOST + device;
        asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
    }
}
// ANCHOR_END: missing_release

// Waits until block blockIdx.x of every device has come to `epoch`, or to a later one. Epochs grow from launch to
// launch, so the flags are never reset.
template <int DEVICES> __device__ void wait(const Flags& flags, int device, unsigned epoch) {
    if (threadIdx.x < DEVICES) {
        const unsigned* flag = flags.of[device] + blockIdx.x * MOST + threadIdx.x;
        unsigned seen;
        do {
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        } while (int(seen - epoch) < 0);
    }
    __syncthreads();
}

const unsigned THREADS = 512;
const unsigned PACKS_PER_THREAD = 4;
const unsigned TILE = THREADS * PACKS_PER_THREAD;
// A block sends this many tiles before it adds the first.
const int AHEAD = 2;

// The whole packs of the part of a device.
__device__ size_t packs_of(int device, size_t part, size_t n) {
    size_t begin = device * (part / 4);
    size_t left = n / 4 > begin ? n / 4 - begin : 0;
    return left < part / 4 ? left : part / 4;
}

// Sends one tile of each part to the device that adds it.
template <int DEVICES>
__device__ void send(const Pointers& in, const Pointers& received, int device, size_t part,
                     size_t n, size_t tile) {
#pragma unroll
    for (int k = 1; k < DEVICES; ++k) {
        int to = (device + k) % DEVICES; // each device begins with another one
        const float4* from = reinterpret_cast<const float4*>(in.of[device] + to * part);
        float4* slot = reinterpret_cast<float4*>(received.of[to] + device * part);
        size_t packs = packs_of(to, part, n);
#pragma unroll
        for (unsigned p = 0; p < PACKS_PER_THREAD; ++p) {
            size_t i = tile * TILE + p * THREADS + threadIdx.x;
            if (i < packs) {
                slot[i] = from[i];
            }
        }
    }
}

// Adds one tile of this device's part, and sends the sums to all.
template <int DEVICES>
__device__ void reduce(const Pointers& in, const Pointers& out, const Pointers& received,
                       int device, size_t part, size_t n, size_t tile) {
    const float4* own = reinterpret_cast<const float4*>(in.of[device] + device * part);
    size_t packs = packs_of(device, part, n);
#pragma unroll
    for (unsigned p = 0; p < PACKS_PER_THREAD; ++p) {
        size_t i = tile * TILE + p * THREADS + threadIdx.x;
        if (i < packs) {
            float4 element[DEVICES];
#pragma unroll
            for (int d = 0; d < DEVICES; ++d) {
                const float4* slot =
                    reinterpret_cast<const float4*>(received.of[device] + d * part);
                element[d] = d == device ? own[i] : __ldcg(slot + i);
            }
            store_to_all<DEVICES>(out, device * (part / 4) + i, add<DEVICES>(element));
        }
    }
}

template <int DEVICES>
__device__ void push(const Pointers& in, const Pointers& out, const Pointers& received,
                     const Flags& flags, int device, unsigned epoch, size_t part, size_t n) {
    // The slots are free once the other devices' kernels have begun: their launch before has ended.
    arrive<DEVICES>(flags, device, epoch);
    wait<DEVICES>(flags, device, epoch);

    size_t all_tiles = (part / 4 + TILE - 1) / TILE;
    int tiles = int((all_tiles + gridDim.x - 1) / gridDim.x);
    for (int t = 0; t < tiles + AHEAD; ++t) {
        if (t < tiles) {
            send<DEVICES>(in, received, device, part, n, blockIdx.x + size_t(t) * gridDim.x);
            arrive<DEVICES>(flags, device, epoch + 1 + t);
        }
        int r = t - AHEAD;
        if (r >= 0) {
            wait<DEVICES>(flags, device, epoch + 1 + r);
            reduce<DEVICES>(in, out, received, device, part, n,
                            blockIdx.x + size_t(r) * gridDim.x);
        }
    }
    // At most three elements are left. One warp of the last device adds them.
    if (device == DEVICES - 1 && blockIdx.x == 0 && threadIdx.x < n % 4) {
        size_t i = n / 4 * 4 + threadIdx.x;
        store_to_all<DEVICES>(out, i, sum_of_all<DEVICES, float>(in, i));
    }

    arrive<DEVICES>(flags, device, epoch + 1 + tiles);
    wait<DEVICES>(flags, device, epoch + 1 + tiles);
}

#define PUSH(DEVICES)                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS)                                          \
        push_##DEVICES(Pointers in, Pointers out, Pointers received, Flags flags, int device,      \
                       unsigned epoch, size_t part, size_t n) {                                    \
        push<DEVICES>(in, out, received, flags, device, epoch, part, n);                           \
    }
KERNELS_OF(PUSH)
