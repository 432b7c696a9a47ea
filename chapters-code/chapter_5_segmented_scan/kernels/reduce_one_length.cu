// Segmented reduce of segments that have one length: no offset is read. Short segments get several lanes, longer ones
// a block, and where there are few, several blocks.
//
// <op>_<dtype>(const dtype* in, dtype* out, u32 length, u32 segments, u32 span, dtype* aggregates, u32* arrived)
// Launch: grid (ceil(segments / blockDim.y), spans) of (threads, rows) threads: either threads a power of two up to
// 32, whole warps and one span; or threads a multiple of 32 up to 1,024 and one row. spans is ceil(length / span), and
// length is not 0. No dynamic shared memory; in 16-byte aligned. If there is more than one span, aggregates has segments * spans elements, and arrived one per
// segment, which is 0 and is again afterwards; launches on it must not overlap, and after one that was stopped, zero
// it. out is as in reduce_thread_per_segment.cu.
#define LAUNCH_BOUNDS __launch_bounds__(1024)
#include "lanes.cuh"

// The aggregate of a block's values, in the lanes of warp 0. All threads must call it, once.
template <typename Op, typename T> __device__ T block_reduce(T x) {
    __shared__ T of_warps[32];
    x = warp_reduce<Op>(x);
    if (lane_id() == 0) {
        of_warps[warp_id()] = x;
    }
    __syncthreads();
    x = lane_id() < blockDim.x / 32 ? of_warps[lane_id()] : Op::identity();
    return warp_reduce<Op>(x);
}

// ANCHOR: join
// Leaves the aggregate of a span; the warp that comes last adds up those of the segment. Called by warp 0; returns
// whether it is the last, with the segment's aggregate.
template <typename Op, typename T>
__device__ bool join_spans(T& aggregate, T* aggregates, u32* arrived) {
    u32 before = 0;
    if (lane_id() == 0) {
        aggregates[blockIdx.y] = aggregate;
        __threadfence();
        before = atomicAdd(arrived, 1);
        __threadfence();
    }
    if (__shfl_sync(ALL_LANES, before, 0) != gridDim.y - 1) {
        return false;
    }
    __syncwarp(); // behind the fence of lane 0, for all lanes
    aggregate = Op::identity();
    for (u32 span = lane_id(); span < gridDim.y; span += 32) {
        aggregate = Op::combine(aggregate, __ldcg(&aggregates[span]));
    }
    aggregate = warp_reduce<Op>(aggregate);
    if (lane_id() == 0) {
        *arrived = 0; // for the next launch
    }
    return true;
}
// ANCHOR_END: join

// ANCHOR: reduce
template <typename Op, typename T>
__device__ void reduce(const T* in, T* out, u32 length, u32 segments, u32 span, T* aggregates,
                       u32* arrived) {
    size_t s = size_t(blockIdx.x) * blockDim.y + threadIdx.y;
    size_t begin = s * length + size_t(span) * blockIdx.y, end = min(begin + span, (s + 1) * length);
    // Lanes without a segment stay, with no elements: the shuffles need all lanes.
    T aggregate = reduce_elements<Op>(in, begin, s < segments ? end : begin);
    if (blockDim.x <= 32) {
        aggregate = lanes_reduce<Op>(aggregate, blockDim.x);
    } else {
        aggregate = block_reduce<Op>(aggregate);
        if (warp_id() != 0) {
            return;
        }
        if (gridDim.y > 1 && !join_spans<Op>(aggregate, aggregates + s * gridDim.y, arrived + s)) {
            return;
        }
    }
    if (threadIdx.x == 0 && s < segments) {
        out[s] = aggregate;
    }
}
// ANCHOR_END: reduce

#define KERNEL(name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS name##_##dtype( \
        const dtype* __restrict__ in, dtype* out, u32 length, u32 segments, u32 span, \
        dtype* aggregates, u32* arrived) { \
        reduce<Op<dtype>, dtype>(in, out, length, segments, span, aggregates, arrived); \
    }
FOR_EVERY_SEGMENT_REDUCTION(KERNEL)
