// Finishing, 1: banked, on an output that the host has zeroed.
//
// Two operations in the stream, a memset and the kernel. Each begins when the one before has ended.
//
// histogram_<dtype>(const dtype* in, u32* out, size_t n, Bins bins, u32 log_copies)
// Launch: as banked.cu. Adds to out[0 .. bins.count + 3], which is zero beforehand.
#include "copies.cuh"

struct Memset {
    __device__ void begin() const { __syncthreads(); }
    __device__ void wait() const { __syncthreads(); }
    __device__ void end() const {}
};

#define MEMSET_KERNEL(dtype) \
    extern "C" __global__ void __launch_bounds__(THREADS<dtype>, RESIDENT<dtype>) \
        histogram_##dtype(const dtype* __restrict__ in, u32* out, size_t n, Bins bins, \
                          u32 log_copies) { \
        count_share(in, out, n, bins, Copies(log_copies), Memset{}); \
    }

FOR_EACH_KEY(MEMSET_KERNEL)
