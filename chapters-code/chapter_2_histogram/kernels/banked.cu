// 16-byte loads, and copies of the histogram spread over the banks.
//
// The rungs before load one key at a time, and lanes whose counters share a bank wait for each
// other. Here a thread loads packs of 16 bytes, and the next ones are under way while these are
// counted. A block keeps up to 32 copies of its histogram, copy r of each counter in bank r (of 32
// copies; with R of them in banks r, r + R, …): lanes with different copies never meet, whatever
// the keys are. Everything is one launch: the first block zeroes the output, see flag.cuh.
//
// histogram_<dtype>(const dtype* in, u32* out, size_t n, Bins bins, u32 log_copies, State* state);
// `in` may have any alignment of its dtype
// Launch: min(ceil(n * sizeof(dtype) / 32768), RESIDENT a multiprocessor) blocks (at least 1) of
// exactly THREADS threads, both by key type in tiles.cuh; 2^log_copies counters of 4 bytes of
// dynamic shared memory for each bin and extra counter (of u8 at most 256), log_copies <= 5. state:
// zero before the first launch, and left for the next one. Launches on one state have the same grid and
// must not overlap; after one that was stopped, it must be zeroed. Writes out[0 .. bins.count + 3].
// histogram_even_u32 is the same for u32 keys in even bins of a range, of type EvenBins; see even.cuh.
#include "copies.cuh"
#include "even.cuh"
#include "flag.cuh"

#define BANKED_KERNEL_IN(BinsOf, dtype) \
    extern "C" __global__ void __launch_bounds__(THREADS<dtype>, RESIDENT<dtype>) \
        histogram_##dtype(const dtype* __restrict__ in, u32* out, size_t n, BinsOf bins, \
                          u32 log_copies, State* state) { \
        Flag flag{state, out, bins.count + EXTRA}; \
        count_share(in, out, n, bins, Copies(log_copies), flag); \
    }
#define BANKED_KERNEL(dtype) BANKED_KERNEL_IN(Bins, dtype)

FOR_EACH_KEY(BANKED_KERNEL)
BANKED_KERNEL_IN(EvenBins, even_u32)
