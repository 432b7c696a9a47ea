// Every device stores its elements of a part into the memory of the device that adds this part. After a meeting, each
// device adds what it has received.
//
// reduce_scatter_push_<devices>(Pointers in, float* out, Pointers received, Flags flags, int device, size_t part,
//                               size_t n)
// Launch: the same number of blocks on every device, all of them resident; at least as many threads per block as
// devices. `received` has `part` elements, a multiple of 4, per device that sends. The flags are 0 before the first
// launch. A launch uses two epochs.
#include "add_packs.cuh"
#include "barrier.cuh"
#include "copy.cuh"

// ANCHOR: reduce_scatter
// Until then elements may still be on their way. (The kernel that is wrong on purpose leaves the meeting out.)
#ifndef MEETING
#define MEETING                                                                                    \
    arrive<DEVICES>(flags, device, epoch + 1);                                                     \
    wait<DEVICES>(flags, device, epoch + 1);
#endif

template <int DEVICES>
__device__ void reduce_scatter(const Pointers& in, float* out, const Pointers& received,
                               const Flags& flags, int device, size_t part, size_t n) {
    unsigned epoch = first_epoch(flags, device);
    // The slots are free once the other devices' kernels have begun: their launch before has ended.
    arrive<DEVICES>(flags, device, epoch);
    wait<DEVICES>(flags, device, epoch);

    for (int k = 1; k < DEVICES; ++k) {
        int to = (device + k) % DEVICES; // each device begins with another one
        copy(received.of[to] + device * part, in.of[device] + to * part,
             elements_of(to, part, n));
    }
    MEETING

    // What a block adds was sent by the blocks of the same number.
    Pointers slots;
#pragma unroll
    for (int d = 0; d < DEVICES; ++d) {
        slots.of[d] =
            d == device ? in.of[device] + device * part : received.of[device] + d * part;
    }
    size_t elements = elements_of(device, part, n);
    size_t threads = size_t(gridDim.x) * blockDim.x;
    size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (size_t pack = thread; pack < elements / 4; pack += threads) {
        reinterpret_cast<float4*>(out)[pack] = sum_of_all<DEVICES, float4>(slots, pack);
    }
    for (size_t i = elements / 4 * 4 + thread; i < elements; i += threads) {
        out[i] = sum_of_all<DEVICES, float>(slots, i);
    }
}
// ANCHOR_END: reduce_scatter

#define REDUCE_SCATTER(DEVICES)                                                                    \
    extern "C" __global__ void reduce_scatter_push_##DEVICES(                                      \
        const __grid_constant__ Pointers in, float* out,                                           \
        const __grid_constant__ Pointers received, const __grid_constant__ Flags flags,            \
        int device, size_t part, size_t n) {                                                       \
        reduce_scatter<DEVICES>(in, out, received, flags, device, part, n);                        \
    }
KERNELS_OF(REDUCE_SCATTER)
