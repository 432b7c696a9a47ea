// Broken: a lane's rank is its rank among the active lanes, on the assumption that those are the selected ones
// of its warp. Here positive and negative elements take different branches, so that each side is a group of
// its own, and the leader of one does not speak for the other: both sides write to the same indices.
//
// mask_b32, arguments and launch as unordered.cu, for elements that are f32.
#include "../compact.cuh"

// ANCHOR: take
// Where the caller's element goes, given the first index of its warp.
__device__ u64 rank_among_active(u64 first) {
    return first + rank_of_lane(__activemask());
}
// ANCHOR_END: take

extern "C" __global__ void mask_b32(PARAMETERS(b32)) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    b32 x = i < n ? in[i] : 0;
    bool select = i < n && CHOICE(Mask, b32).selects(i, x);
    unsigned ballot = __ballot_sync(ALL_LANES, select);
    u64 first = 0;
    if (lane_id() == 0 && ballot != 0) {
        first = atomicAdd(selected, u64(__popc(ballot)));
    }
    first = __shfl_sync(ALL_LANES, first, 0);
    // ANCHOR: branches
    if (select) {
        if (__uint_as_float(x) < 0.0f) {
            OUTPUT(b32).put(rank_among_active(first), x);
        } else {
            OUTPUT(b32).put(rank_among_active(first), x);
        }
    }
    // ANCHOR_END: branches
}
