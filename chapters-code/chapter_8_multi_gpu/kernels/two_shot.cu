// Every device adds one part of all arrays and stores the sums to all devices. It reads and writes the other devices'
// memory itself: no copies, and one kernel per device.
//
// two_shot_<devices>(Pointers in, Pointers out, size_t first, size_t end)
// Launch: any number of blocks. `first` is a multiple of 4; so is `end`, or it is the number of elements, as `first` may be, too.
#include "add_packs.cuh"

// ANCHOR: two_shot
template <int DEVICES>
__device__ void two_shot(const Pointers& in, const Pointers& out, size_t first, size_t end) {
    size_t threads = size_t(gridDim.x) * blockDim.x;
    size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (size_t pack = first / 4 + thread; pack < end / 4; pack += threads) {
        store_to_all<DEVICES>(out, pack, sum_of_all<DEVICES, float4>(in, pack));
    }
    // At most three elements are left.
    for (size_t i = max(first, end / 4 * 4) + thread; i < end; i += threads) {
        store_to_all<DEVICES>(out, i, sum_of_all<DEVICES, float>(in, i));
    }
}
// ANCHOR_END: two_shot

#define TWO_SHOT(DEVICES)                                                                          \
    extern "C" __global__ void two_shot_##DEVICES(Pointers in, Pointers out, size_t first,         \
                                                  size_t end) {                                    \
        two_shot<DEVICES>(in, out, first, end);                                                    \
    }
KERNELS_OF(TWO_SHOT)
