// Segmented reduce, one block per segment, for long ones; those that are too long for one block are boundary.
//
// <op>_<dtype>(const dtype* in, dtype* out, const u32* offsets, u32 segments, u32 chunk, u32 chunks,
//              dtype* reduces, u32* arrived)
// Launch: chunks + segments blocks of a multiple of 32 threads, no dynamic shared memory; in 16-byte
// aligned. chunk is a multiple of 16, and chunks * chunk is offsets[segments] at least. reduces has
// 2 * chunks elements; arrived has chunks, which are 0, and are again afterwards. Launches on it must not
// overlap; after one that was stopped, zero it. Elements and segments are 2^32 - 65,537 at most: indices are
// counted in 32 bits, and the search goes up to 31 beyond the last segment. out is as in
// reduce_thread_per_segment.cu.
#define LAUNCH_BOUNDS __launch_bounds__(1024)
#include "reduce.cuh"
#include "segmented_chunk.cuh"

constexpr unsigned ROWS = 4;

// What a block reduces: a segment; or, of one longer than a chunk, what lies before its first multiple of
// a chunk, or from one to the next.
struct Span {
    u32 segment;
    size_t begin, end;
    u32 parts;      // of the segment; 0 where the block has nothing to do
    u32 first;      // its first multiple, if it has several parts
    u32 slot;       // where the aggregate of this part goes
};

// How many segments end at `at` or before: a warp looks at 32 offsets at once.
__device__ inline u32 ended_at(const u32* ends, u32 segments, size_t at) {
    u32 low = 0, high = segments; // of the answer
    while (low < high) {
        u32 step = (high - low + 31) / 32, s = low + lane_id() * step;
        u32 count = __popc(__ballot_sync(ALL_LANES, s < high && ends[s] <= at));
        high = min(low + count * step, high);
        low = count > 0 ? low + (count - 1) * step + 1 : low;
    }
    return low;
}

// ANCHOR: span
__device__ inline Span span_of_block(const u32* offsets, u32 segments, u32 chunk, u32 chunks) {
    bool has_segment = blockIdx.x >= chunks;
    size_t boundary = size_t(blockIdx.x) * chunk;
    u32 s = has_segment ? blockIdx.x - chunks : ended_at(offsets + 1, segments, boundary);
    if (s == segments) {
        return {};
    }
    size_t begin = offsets[s], end = offsets[s + 1];
    if (end - begin <= chunk) {
        return {s, begin, end, has_segment ? 1u : 0u};
    }
    u32 first = begin / chunk + 1, last = (end - 1) / chunk; // multiples within it
    u32 parts = last - first + 2;
    if (has_segment) {
        return {s, begin, size_t(first) * chunk, parts, first, chunks + first};
    }
    return {s, boundary, min(boundary + chunk, end), begin < boundary ? parts : 0, first, blockIdx.x};
}
// ANCHOR_END: span

// A thread's part of the aggregate of the packs [first, last).
template <typename Op, typename T>
__device__ T reduce_packs(const uint4* packs, size_t first, size_t last) {
    // ANCHOR: packs
    T aggregate = Op::identity();
    for (size_t i = first + threadIdx.x; i < last; i += ROWS * blockDim.x) {
        Pack<T> rows[ROWS];
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            size_t j = i + r * blockDim.x;
            rows[r] = load_pack<T>(packs + (j < last ? j : i));
        }
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            if (i + r * blockDim.x < last) {
                aggregate = Op::combine(aggregate, reduce_pack<Op>(rows[r]));
            }
        }
    }
    // ANCHOR_END: packs
    return aggregate;
}

// A thread's part of the aggregate of the elements [begin, end): whole packs, and at either end fewer
// elements than a pack has.
template <typename Op, typename T>
__device__ T reduce_elements(const T* in, size_t begin, size_t end) {
    size_t first = (begin + Pack<T>::size - 1) / Pack<T>::size, last = end / Pack<T>::size;
    T aggregate = reduce_packs<Op, T>(reinterpret_cast<const uint4*>(in), first, last);
    size_t before = min(first * Pack<T>::size, end), behind = max(last * Pack<T>::size, before);
    size_t i = begin + threadIdx.x, j = behind + threadIdx.x;
    aggregate = i < before ? Op::combine(aggregate, in[i]) : aggregate;
    return j < end ? Op::combine(aggregate, in[j]) : aggregate;
}

// ANCHOR: join
// Leaves the aggregate of a part; the warp that comes last reduces what all have left. Called by warp 0, whose
// first lane has the aggregate.
template <typename Op, typename T>
__device__ void join(T* out, T aggregate, const Span& span, u32 chunks, T* aggregates, u32* arrived) {
    u32 before = 0;
    if (lane_id() == 0) {
        aggregates[span.slot] = aggregate;
        __threadfence();
        before = atomicAdd(&arrived[span.first], 1);
        __threadfence();
    }
    before = __shfl_sync(ALL_LANES, before, 0);
    if (before + 1 != span.parts) {
        return;
    }
    __syncwarp(); // behind the fence of lane 0, for all lanes
    aggregate = lane_id() == 0 ? __ldcg(&aggregates[chunks + span.first]) : Op::identity();
    for (u32 part = lane_id() + 1; part < span.parts; part += 32) {
        aggregate = Op::combine(aggregate, __ldcg(&aggregates[span.first + part - 1]));
    }
    aggregate = warp_reduce<Op>(aggregate);
    if (lane_id() == 0) {
        out[span.segment] = aggregate;
        arrived[span.first] = 0; // for the next launch
    }
}
// ANCHOR_END: join

template <typename Op, typename T>
__device__ void reduce(const T* in, T* out, const u32* offsets, u32 segments, u32 chunk, u32 chunks,
                       T* aggregates, u32* arrived) {
    __shared__ T of_warps[32];
    Span span = span_of_block(offsets, segments, chunk, chunks);
    if (span.parts == 0) {
        return;
    }
    T aggregate = warp_reduce<Op>(reduce_elements<Op>(in, span.begin, span.end));
    if (lane_id() == 0) {
        of_warps[warp_id()] = aggregate;
    }
    __syncthreads();
    if (warp_id() != 0) {
        return;
    }
    aggregate = lane_id() < blockDim.x / 32 ? of_warps[lane_id()] : Op::identity();
    aggregate = warp_reduce<Op>(aggregate);
    if (span.parts > 1) {
        join<Op>(out, aggregate, span, chunks, aggregates, arrived);
    } else if (lane_id() == 0) {
        out[span.segment] = aggregate;
    }
}

#define KERNEL(name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS name##_##dtype( \
        const dtype* __restrict__ in, dtype* out, const u32* __restrict__ offsets, u32 segments, \
        u32 chunk, u32 chunks, dtype* aggregates, u32* arrived) { \
        reduce<Op<dtype>, dtype>(in, out, offsets, segments, chunk, chunks, aggregates, arrived); \
    }
FOR_EVERY_SEGMENT_REDUCTION(KERNEL)
