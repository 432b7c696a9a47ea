// One kernel and no scan: each warp asks for as many places as it needs, by one atomic addition to the
// number kept (Adinets 2014). The warp that comes first gets the first places: the order is lost.
//
// <by>_<type>(const type* in, type* out, size_t n, size_t capacity, u64* kept, const void* mask, u64 pivot)
// Launch: ceil(n / 256) blocks of 256 threads, no dynamic shared memory. Before it, in the same stream:
// *kept zeroed. The kept elements are written in any order.
#define LAUNCH_BOUNDS __launch_bounds__(256)
#include "compact.cuh"

// ANCHOR: compact
template <typename By, typename T>
__device__ void compact(const T* in, Output<T> out, size_t n, By by) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    T x = {};
    bool keep = false;
    if (i < n) {
        x = in[i];
        keep = by.keeps(i, x);
    }
    unsigned ballot = __ballot_sync(ALL_LANES, keep);
    u64 place = 0;
    if (lane_id() == 0 && ballot != 0) {
        place = atomicAdd(out.kept, u64(__popc(ballot)));
    }
    place = __shfl_sync(ALL_LANES, place, 0);
    if (keep) {
        out.put(place + rank_of_lane(ballot), x);
    }
}
// ANCHOR_END: compact

FOR_EACH_CHOICE(WHOLE_KERNEL)
