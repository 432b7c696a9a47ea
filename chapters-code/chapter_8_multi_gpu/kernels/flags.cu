// As two_shot.cu, but the devices wait for each other within the kernel, by flags in device memory. The host neither
// records an event nor lets a stream wait.
//
// flags_<devices>(Pointers in, Pointers out, Flags flags, int device, size_t first, size_t end)
// Launch: the same number of blocks on every device, all of them resident; at least as many threads per block as
// devices. The flags are 0 before the first launch. A launch uses two epochs.
#include "add_packs.cuh"
#include "barrier.cuh"

// ANCHOR: flags
template <int DEVICES>
__device__ void two_shot(const Pointers& in, const Pointers& out, const Flags& flags, int device,
                         size_t first, size_t end) {
    unsigned epoch = first_epoch(flags, device);
    // The other devices' arrays are there once their kernels have begun.
    arrive<DEVICES>(flags, device, epoch);
    wait<DEVICES>(flags, device, epoch);

    size_t threads = size_t(gridDim.x) * blockDim.x;
    size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (size_t pack = first / 4 + thread; pack < end / 4; pack += threads) {
        store_to_all<DEVICES>(out, pack, sum_of_all<DEVICES, float4>(in, pack));
    }
    for (size_t i = max(first, end / 4 * 4) + thread; i < end; i += threads) {
        store_to_all<DEVICES>(out, i, sum_of_all<DEVICES, float>(in, i));
    }

    // This device's result is complete once all others have stored their parts of it.
    arrive<DEVICES>(flags, device, epoch + 1);
    wait<DEVICES>(flags, device, epoch + 1);
}
// ANCHOR_END: flags

#define FLAGS(DEVICES)                                                                             \
    extern "C" __global__ void flags_##DEVICES(                                                    \
        const __grid_constant__ Pointers in, const __grid_constant__ Pointers out,                 \
        const __grid_constant__ Flags flags, int device, size_t first, size_t end) {               \
        two_shot<DEVICES>(in, out, flags, device, first, end);                                     \
    }
KERNELS_OF(FLAGS)
