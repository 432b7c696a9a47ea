// BROKEN: the flags have the scope of one GPU. It orders the threads of that GPU only, so a thread of another device may
// see a flag and not the elements that were stored before it.
//
// flags_<devices>: arguments and launch as flags.cu.
#include "../add_packs.cuh"

struct Flags {
    unsigned* of[MOST];
};

// ANCHOR: gpu_scope
template <int DEVICES> __device__ void arrive(const Flags& flags, int device, unsigned epoch) {
    __syncthreads();
    if (threadIdx.x < DEVICES) {
        unsigned* flag = flags.of[threadIdx.x] + blockIdx.x * MOST + device;
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
    }
}

template <int DEVICES> __device__ void wait(const Flags& flags, int device, unsigned epoch) {
    if (threadIdx.x < DEVICES) {
        const unsigned* flag = flags.of[device] + blockIdx.x * MOST + threadIdx.x;
        unsigned seen;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        } while (int(seen - epoch) < 0);
    }
    __syncthreads();
}
// ANCHOR_END: gpu_scope

template <int DEVICES>
__device__ void two_shot(const Pointers& in, const Pointers& out, const Flags& flags, int device,
                         unsigned epoch, size_t first, size_t end) {
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

#define FLAGS(DEVICES)                                                                             \
    extern "C" __global__ void flags_##DEVICES(Pointers in, Pointers out, Flags flags, int device, \
                                               unsigned epoch, size_t first, size_t end) {         \
        two_shot<DEVICES>(in, out, flags, device, epoch, first, end);                              \
    }
KERNELS_OF(FLAGS)
