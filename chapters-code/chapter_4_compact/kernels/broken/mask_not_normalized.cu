// Broken: adds up the bytes of the mask. They need not be 1: any byte but 0 is true.
//
// mask_b32, arguments and launch as unordered.cu.
#include "../compact.cuh"

extern "C" __global__ void mask_b32(PARAMETERS(b32)) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const u8* bytes = CHOICE(Mask, b32).bytes;
    // ANCHOR: sum
    u32 flag = i < n ? bytes[i] : 0;
    u32 scanned = warp_scan<Sum<u32>>(flag);
    u64 index = 0;
    if (lane_id() == 31) {
        index = atomicAdd(selected, u64(scanned));
    }
    index = __shfl_sync(ALL_LANES, index, 31);
    if (flag != 0) {
        OUTPUT(b32).put(index + scanned - flag, in[i]);
    }
    // ANCHOR_END: sum
}
