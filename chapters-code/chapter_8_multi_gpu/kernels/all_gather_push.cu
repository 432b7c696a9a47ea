// The second half of two_shot.cu, with flags: every device stores its part into the results of all devices.
//
// all_gather_push_<devices>(const float* in, Pointers out, Flags flags, int device, size_t first, size_t end)
// Launch: the same number of blocks on every device, all of them resident; at least as many threads per block as
// devices. `in` has end - first elements; `first` is a multiple of 4, unless it is the number of elements. The flags
// are 0 before the first launch. A launch uses two epochs.
#include "add_packs.cuh"
#include "barrier.cuh"

// ANCHOR: all_gather
template <int DEVICES>
__device__ void all_gather(const float* in, const Pointers& out, const Flags& flags, int device,
                           size_t first, size_t end) {
    unsigned epoch = first_epoch(flags, device);
    // The other devices' results may be written once their kernels have begun.
    arrive<DEVICES>(flags, device, epoch);
    wait<DEVICES>(flags, device, epoch);

    size_t threads = size_t(gridDim.x) * blockDim.x;
    size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (size_t pack = first / 4 + thread; pack < end / 4; pack += threads) {
        float4 value = reinterpret_cast<const float4*>(in)[pack - first / 4];
        store_to_all<DEVICES>(out, pack, value);
    }
    for (size_t i = max(first, end / 4 * 4) + thread; i < end; i += threads) {
        store_to_all<DEVICES>(out, i, in[i - first]);
    }

    // This device's result is complete once all others have stored their parts of it.
    arrive<DEVICES>(flags, device, epoch + 1);
    wait<DEVICES>(flags, device, epoch + 1);
}
// ANCHOR_END: all_gather

#define ALL_GATHER(DEVICES)                                                                        \
    extern "C" __global__ void all_gather_push_##DEVICES(                                          \
        const float* in, const __grid_constant__ Pointers out,                                     \
        const __grid_constant__ Flags flags, int device, size_t first, size_t end) {               \
        all_gather<DEVICES>(in, out, flags, device, first, end);                                   \
    }
KERNELS_OF(ALL_GATHER)
