// Stores only: every device sends its elements of a part to the device that adds this part, and that device sends the
// sums to all. No thread waits for a load from another device.
//
// push_<devices>(Pointers in, Pointers out, Pointers received, Flags flags, int device, size_t part, size_t n)
// Launch: the same number of blocks of THREADS threads on every device, all of them resident. `part` is the length of a
// part, a multiple of 4. `received` has `part` elements per device that sends. The flags are 0 before the first
// launch. With t tiles per block, a launch uses t + 2 epochs.
#include "add_packs.cuh"
#include "barrier.cuh"

const unsigned THREADS = 512;
const unsigned PACKS_PER_THREAD = 4;
const unsigned TILE = THREADS * PACKS_PER_THREAD;
// A block sends this many tiles before it adds the first.
const int AHEAD = 2;

// Where in the buffer a tile is received: each has a slot of its own.
#ifndef SLOT_OF
#define SLOT_OF(tile) ((tile) * TILE)
#endif

// The whole packs of the part of a device.
__device__ size_t packs_of(int device, size_t part, size_t n) {
    size_t begin = device * (part / 4);
    size_t left = n / 4 > begin ? n / 4 - begin : 0;
    return left < part / 4 ? left : part / 4;
}

// ANCHOR: push
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
                slot[SLOT_OF(tile) + p * THREADS + threadIdx.x] = from[i];
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
                element[d] = d == device ? own[i] : __ldcg(slot + SLOT_OF(tile) + p * THREADS + threadIdx.x);
            }
            store_to_all<DEVICES>(out, device * (part / 4) + i, add<DEVICES>(element));
        }
    }
}

template <int DEVICES>
__device__ void push(const Pointers& in, const Pointers& out, const Pointers& received,
                     const Flags& flags, int device, size_t part, size_t n) {
    unsigned epoch = first_epoch(flags, device);
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
// ANCHOR_END: push

#define PUSH(DEVICES)                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS)                                          \
        push_##DEVICES(const __grid_constant__ Pointers in, const __grid_constant__ Pointers out,  \
                       const __grid_constant__ Pointers received,                                  \
                       const __grid_constant__ Flags flags, int device, size_t part, size_t n) {   \
        push<DEVICES>(in, out, received, flags, device, part, n);                                  \
    }
KERNELS_OF(PUSH)
