// Every device adds all arrays for itself: more bytes over the links, but one trip instead of two.
//
// one_shot_<devices>(Pointers in, float* out, Flags flags, int device, size_t n)
// Launch: as flags.cu.
#include "add_packs.cuh"
#include "barrier.cuh"

// ANCHOR: one_shot
template <int DEVICES>
__device__ void one_shot(const Pointers& in, float* out, const Flags& flags, int device,
                         size_t n) {
    unsigned epoch = first_epoch(flags, device);
    arrive<DEVICES>(flags, device, epoch);
    wait<DEVICES>(flags, device, epoch);

    size_t threads = size_t(gridDim.x) * blockDim.x;
    size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (size_t pack = thread; pack < n / 4; pack += threads) {
        reinterpret_cast<float4*>(out)[pack] = sum_of_all<DEVICES, float4>(in, pack);
    }
    for (size_t i = n / 4 * 4 + thread; i < n; i += threads) {
        out[i] = sum_of_all<DEVICES, float>(in, i);
    }

    // Until then another device may still read this one's array, which the next kernel in the stream may change.
    arrive<DEVICES>(flags, device, epoch + 1);
    wait<DEVICES>(flags, device, epoch + 1);
}
// ANCHOR_END: one_shot

#define ONE_SHOT(DEVICES)                                                                          \
    extern "C" __global__ void one_shot_##DEVICES(                                                 \
        const __grid_constant__ Pointers in, float* out, const __grid_constant__ Flags flags,      \
        int device, size_t n) {                                                                    \
        one_shot<DEVICES>(in, out, flags, device, n);                                              \
    }
KERNELS_OF(ONE_SHOT)
