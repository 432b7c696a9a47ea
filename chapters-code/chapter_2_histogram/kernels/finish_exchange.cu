// Finishing, 2: banked, whose blocks add to sums that the launch before has left at zero.
//
// The blocks do not add to the output but to scratch. The one that comes last, as in chapter 1's
// last_block.cuh, takes each sum out of it and puts 0 in its place, for the next launch.
//
// histogram_<dtype>(const dtype* in, u32* out, size_t n, Bins bins, u32 log_copies, u32* sums,
//                   u32* counter)
// Launch: as banked.cu. sums: as many as out; they and the counter are zero before the first launch,
// and again after every launch. Launches on them must not overlap; after one that was stopped, both must
// be zeroed. Writes out[0 .. bins.count + 3].
#include "copies.cuh"

struct Exchange {
    u32 *out, *sums, *counter;
    u32 total;

    __device__ void begin() const { __syncthreads(); }
    __device__ void wait() const { __syncthreads(); }

    // ANCHOR: end
    __device__ void end() const {
        __shared__ bool last;
        __syncthreads(); // the block has added before it is counted
        if (threadIdx.x == 0) {
            u32 before;
            asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                         : "=r"(before)
                         : "l"(__cvta_generic_to_global(counter)), "r"(gridDim.x - 1)
                         : "memory");
            last = before == gridDim.x - 1;
        }
        __syncthreads();
        if (last) {
            for (u32 c = threadIdx.x; c < total; c += blockDim.x) {
                out[c] = atomicExch(&sums[c], 0);
            }
        }
    }
    // ANCHOR_END: end
};

#define EXCHANGE_KERNEL(dtype) \
    extern "C" __global__ void __launch_bounds__(THREADS<dtype>, RESIDENT<dtype>) \
        histogram_##dtype(const dtype* __restrict__ in, u32* out, size_t n, Bins bins, \
                          u32 log_copies, u32* sums, u32* counter) { \
        Exchange exchange{out, sums, counter, bins.count + EXTRA}; \
        count_share(in, sums, n, bins, Copies(log_copies), exchange); \
    }

FOR_EACH_KEY(EXCHANGE_KERNEL)
