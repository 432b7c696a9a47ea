// Broken: writes all that is kept, whether the output has room for it or not.
//
// mask_b32, arguments and launch as unordered.cu.
#include "../compact.cuh"

extern "C" __global__ void mask_b32(PARAMETERS(b32)) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    b32 x = i < n ? in[i] : 0;
    bool keep = i < n && CHOICE(Mask, b32).keeps(i, x);
    unsigned ballot = __ballot_sync(ALL_LANES, keep);
    u64 place = 0;
    if (lane_id() == 0 && ballot != 0) {
        place = atomicAdd(kept, u64(__popc(ballot)));
    }
    place = __shfl_sync(ALL_LANES, place, 0);
    // ANCHOR: store
    if (keep) {
        out[place + rank_of_lane(ballot)] = x;
    }
    // ANCHOR_END: store
}
