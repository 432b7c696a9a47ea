// One thread per segment: the sequential algorithm, as often as there are segments. The warp waits for
// the longest of its 32, and neighbouring threads read far from each other.
//
// <kind>_<op>_<dtype>(const dtype* in, dtype* out, const u32* offsets, u32 segments)
// Launch: ceil(segments / block) blocks, no dynamic shared memory.
#include "flagged.cuh"

// ANCHOR: scan
template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, T* out, const u32* offsets, u32 segments) {
    size_t s = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (s < segments) {
        T prefix = Op::identity();
        for (u32 i = offsets[s]; i < offsets[s + 1]; i++) {
            out[i] = result<KIND, Op>(prefix, in[i]);
        }
    }
}
// ANCHOR_END: scan

FOR_EVERY_SCAN(OFFSETS_KERNEL)
FOR_OTHER_SCANS(OFFSETS_KERNEL, inclusive, Inclusive)
FOR_OTHER_SCANS(OFFSETS_KERNEL, exclusive, Exclusive)
