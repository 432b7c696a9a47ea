// Broken: writes all that is selected, whether the output has room for it or not.
//
// mask_b32, arguments and launch as unordered.cu.
#include "../compact.cuh"

extern "C" __global__ void mask_b32(PARAMETERS(b32)) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    b32 x = i < n ? in[i] : 0;
    bool select = i < n && CHOICE(Mask, b32).selects(i, x);
    unsigned ballot = __ballot_sync(ALL_LANES, select);
    u64 index = 0;
    if (lane_id() == 0 && ballot != 0) {
        index = atomicAdd(selected, u64(__popc(ballot)));
    }
    index = __shfl_sync(ALL_LANES, index, 0);
    // ANCHOR: store
    if (select) {
        out[index + rank_of_lane(ballot)] = x;
    }
    // ANCHOR_END: store
}
