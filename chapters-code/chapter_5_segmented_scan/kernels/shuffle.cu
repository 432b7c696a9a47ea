// A block's segmented scan by shuffles: one ballot tells all lanes of a warp where its segments begin,
// so that the shuffles carry values alone.
//
// <kind>_<op>_<dtype>(const dtype* in, const u8* flags, dtype* out, size_t n,
//                     dtype* values, u8* heads, u32* reached)
// Launch: ceil(n / block) blocks (at least 1), block a multiple of 32 up to 1024, no dynamic shared
// memory. What block b writes is as in hillis_steele.cu.
#include "flagged.cuh"

template <Kind KIND, typename Op, typename T>
__device__ void scan(const T* in, const u8* flags, T* out, size_t n, Aggregates<T> aggregates) {
    __shared__ T values[32];
    __shared__ bool warp_heads[32];
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    // ANCHOR: block
    T x = i < n ? in[i] : Op::identity();
    bool is_head = i < n && flags[i] != 0;
    Heads heads(is_head);
    T scanned = segmented_warp_scan<Op>(x, heads);
    InBlock<T> in_block = scan_warps<Op>(values, warp_heads, Pair<T>{scanned, heads.lanes != 0});
    Pair<T> before_lane = {::before_lane<Op>(scanned), heads.before};
    Pair<T> before = combine<Op>(in_block.before_warp, before_lane);
    T prefix = is_head ? Op::identity() : before.value;
    if (i < n) {
        out[i] = result<KIND, Op>(prefix, x);
    }
    // ANCHOR_END: block
    unsigned reached = __syncthreads_count(!before.head && !is_head);
    if (threadIdx.x == 0) {
        aggregates.write(in_block.block, reached);
    }
}

FOR_EVERY_SCAN(BYTES_KERNEL)
