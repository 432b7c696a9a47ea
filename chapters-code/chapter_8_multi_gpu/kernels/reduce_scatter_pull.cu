// The first half of two_shot.cu: every device adds one part of all arrays, and keeps the sums.
//
// reduce_scatter_pull_<devices>(Pointers in, float* out, size_t first, size_t end)
// Launch: any number of blocks. `first` is a multiple of 4, unless it is the number of elements. `out` has room for
// end - first elements.
#include "add_packs.cuh"

// ANCHOR: reduce_scatter
template <int DEVICES>
__device__ void reduce_scatter(const Pointers& in, float* out, size_t first, size_t end) {
    size_t threads = size_t(gridDim.x) * blockDim.x;
    size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (size_t pack = first / 4 + thread; pack < end / 4; pack += threads) {
        reinterpret_cast<float4*>(out)[pack - first / 4] = sum_of_all<DEVICES, float4>(in, pack);
    }
    // At most three elements are left.
    for (size_t i = max(first, end / 4 * 4) + thread; i < end; i += threads) {
        out[i - first] = sum_of_all<DEVICES, float>(in, i);
    }
}
// ANCHOR_END: reduce_scatter

#define REDUCE_SCATTER(DEVICES)                                                                    \
    extern "C" __global__ void reduce_scatter_pull_##DEVICES(Pointers in, float* out,              \
                                                             size_t first, size_t end) {           \
        reduce_scatter<DEVICES>(in, out, first, end);                                              \
    }
KERNELS_OF(REDUCE_SCATTER)
