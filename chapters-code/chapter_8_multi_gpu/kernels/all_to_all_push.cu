// Every device stores each part of its array into the result of the device that the part is for.
//
// all_to_all_push_<devices>(const float* in, Pointers out, Flags flags, int device, size_t part, size_t n)
// Launch: the same number of blocks on every device, all of them resident; at least as many threads per block as
// devices. `part` is the length of a part. A result holds one part per device, one behind the other. The flags are 0
// before the first launch. A launch uses two epochs.
#include "add_packs.cuh"
#include "barrier.cuh"
#include "copy.cuh"

// ANCHOR: all_to_all
template <int DEVICES>
__device__ void all_to_all(const float* in, const Pointers& out, const Flags& flags, int device,
                           size_t part, size_t n) {
    unsigned epoch = first_epoch(flags, device);
    // The other devices' results may be written once their kernels have begun.
    arrive<DEVICES>(flags, device, epoch);
    wait<DEVICES>(flags, device, epoch);

    for (int k = 0; k < DEVICES; ++k) {
        int to = (device + k) % DEVICES;
        size_t elements = elements_of(to, part, n);
        copy(out.of[to] + device * elements, in + to * part, elements);
    }

    // This device's result is complete once all others have stored their parts into it.
    arrive<DEVICES>(flags, device, epoch + 1);
    wait<DEVICES>(flags, device, epoch + 1);
}
// ANCHOR_END: all_to_all

#define ALL_TO_ALL(DEVICES)                                                                        \
    extern "C" __global__ void all_to_all_push_##DEVICES(                                          \
        const float* in, const __grid_constant__ Pointers out,                                     \
        const __grid_constant__ Flags flags, int device, size_t part, size_t n) {                  \
        all_to_all<DEVICES>(in, out, flags, device, part, n);                                      \
    }
KERNELS_OF(ALL_TO_ALL)
