// One kernel and no scan: each warp asks for as many indices as it needs, by one atomic addition to the
// number selected (Adinets 2014). The warp that comes first gets the first indices: the order is lost.
//
// <by>_<type>(const type* in, type* out, size_t n, size_t capacity, u64* selected, const void* mask, u64 pivot)
// Launch: ceil(n / 256) blocks of 256 threads, no dynamic shared memory. Before it, in the same stream:
// *selected zeroed. The selected elements are written in any order.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "compact.cuh"

// ANCHOR: compact
template <typename By, typename T>
__device__ void compact(const T* in, Output<T> out, size_t n, By by) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    T x = {};
    bool select = false;
    if (i < n) {
        x = in[i];
        select = by.selects(i, x);
    }
    unsigned ballot = __ballot_sync(ALL_LANES, select);
    u64 index = 0;
    if (lane_id() == 0 && ballot != 0) {
        index = atomicAdd(out.selected, u64(__popc(ballot)));
    }
    index = __shfl_sync(ALL_LANES, index, 0);
    if (select) {
        out.put(index + rank_of_lane(ballot), x);
    }
}
// ANCHOR_END: compact

FOR_EACH_CHOICE(WHOLE_KERNEL)
