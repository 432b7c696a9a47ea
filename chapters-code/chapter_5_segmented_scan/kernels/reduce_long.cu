// Segmented reduce, a block a segment, for long ones; those that are too long for one block are cut.
//
// <op>_<dtype>(const dtype* in, dtype* out, const u32* offsets, u32 segments, u32 piece, u32 pieces,
//              dtype* folds, u32* arrived)
// Launch: pieces + segments blocks of a multiple of 32 threads, no dynamic shared memory; in 16-byte
// aligned. piece is a multiple of 16, and pieces * piece is offsets[segments] at least. folds has
// 2 * pieces elements; arrived has pieces, which are 0, and are again afterwards. Launches on it must not
// overlap; after one that was stopped, zero it. Elements and segments are 2^32 - 65,537 at most: places are
// counted in 32 bits, and the search goes up to 31 beyond the last segment. out is as in
// reduce_thread_per_segment.cu.
#define LAUNCH_BOUNDS __launch_bounds__(1024)
#include "reduce.cuh"
#include "segmented_chunk.cuh"

constexpr unsigned ROWS = 4;

// What a block folds: a segment; or, of one longer than a piece, what lies before its first multiple of
// a piece, or from one to the next.
struct Stretch {
    u32 segment;
    size_t begin, end;
    u32 parts;      // of the segment; 0 where the block has nothing to do
    u32 first;      // its first multiple, if it has several parts
    u32 slot;       // where the fold of this part goes
};

// How many segments end at `at` or before: a warp looks at 32 places at once.
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

// ANCHOR: stretch
__device__ inline Stretch stretch_of_block(const u32* offsets, u32 segments, u32 piece, u32 pieces) {
    bool has_segment = blockIdx.x >= pieces;
    size_t cut = size_t(blockIdx.x) * piece;
    u32 s = has_segment ? blockIdx.x - pieces : ended_at(offsets + 1, segments, cut);
    if (s == segments) {
        return {};
    }
    size_t begin = offsets[s], end = offsets[s + 1];
    if (end - begin <= piece) {
        return {s, begin, end, has_segment ? 1u : 0u};
    }
    u32 first = begin / piece + 1, last = (end - 1) / piece; // multiples within it
    u32 parts = last - first + 2;
    if (has_segment) {
        return {s, begin, size_t(first) * piece, parts, first, pieces + first};
    }
    return {s, cut, min(cut + piece, end), begin < cut ? parts : 0, first, blockIdx.x};
}
// ANCHOR_END: stretch

// A thread's part of the fold of the packs [first, last).
template <typename Op, typename T>
__device__ T fold_packs(const uint4* packs, size_t first, size_t last) {
    // ANCHOR: packs
    T fold = Op::identity();
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
                fold = Op::combine(fold, fold_pack<Op>(rows[r]));
            }
        }
    }
    // ANCHOR_END: packs
    return fold;
}

// A thread's part of the fold of the elements [begin, end): whole packs, and at either end fewer
// elements than a pack has.
template <typename Op, typename T>
__device__ T fold_elements(const T* in, size_t begin, size_t end) {
    size_t first = (begin + Pack<T>::size - 1) / Pack<T>::size, last = end / Pack<T>::size;
    T fold = fold_packs<Op, T>(reinterpret_cast<const uint4*>(in), first, last);
    size_t before = min(first * Pack<T>::size, end), behind = max(last * Pack<T>::size, before);
    size_t i = begin + threadIdx.x, j = behind + threadIdx.x;
    fold = i < before ? Op::combine(fold, in[i]) : fold;
    return j < end ? Op::combine(fold, in[j]) : fold;
}

// ANCHOR: join
// Leaves the fold of a part; the warp that comes last folds what all have left. Called by warp 0, whose
// first lane has the fold.
template <typename Op, typename T>
__device__ void join(T* out, T fold, const Stretch& stretch, u32 pieces, T* folds, u32* arrived) {
    u32 before = 0;
    if (lane_id() == 0) {
        folds[stretch.slot] = fold;
        __threadfence();
        before = atomicAdd(&arrived[stretch.first], 1);
        __threadfence();
    }
    before = __shfl_sync(ALL_LANES, before, 0);
    if (before + 1 != stretch.parts) {
        return;
    }
    __syncwarp(); // behind the fence of lane 0, for all lanes
    fold = lane_id() == 0 ? __ldcg(&folds[pieces + stretch.first]) : Op::identity();
    for (u32 part = lane_id() + 1; part < stretch.parts; part += 32) {
        fold = Op::combine(fold, __ldcg(&folds[stretch.first + part - 1]));
    }
    fold = warp_fold<Op>(fold);
    if (lane_id() == 0) {
        out[stretch.segment] = fold;
        arrived[stretch.first] = 0; // for the next launch
    }
}
// ANCHOR_END: join

template <typename Op, typename T>
__device__ void reduce(const T* in, T* out, const u32* offsets, u32 segments, u32 piece, u32 pieces,
                       T* folds, u32* arrived) {
    __shared__ T of_warps[32];
    Stretch stretch = stretch_of_block(offsets, segments, piece, pieces);
    if (stretch.parts == 0) {
        return;
    }
    T fold = warp_fold<Op>(fold_elements<Op>(in, stretch.begin, stretch.end));
    if (lane_id() == 0) {
        of_warps[warp_id()] = fold;
    }
    __syncthreads();
    if (warp_id() != 0) {
        return;
    }
    fold = lane_id() < blockDim.x / 32 ? of_warps[lane_id()] : Op::identity();
    fold = warp_fold<Op>(fold);
    if (stretch.parts > 1) {
        join<Op>(out, fold, stretch, pieces, folds, arrived);
    } else if (lane_id() == 0) {
        out[stretch.segment] = fold;
    }
}

#define KERNEL(name, Op, dtype) \
    extern "C" __global__ void LAUNCH_BOUNDS name##_##dtype( \
        const dtype* __restrict__ in, dtype* out, const u32* __restrict__ offsets, u32 segments, \
        u32 piece, u32 pieces, dtype* folds, u32* arrived) { \
        reduce<Op<dtype>, dtype>(in, out, offsets, segments, piece, pieces, folds, arrived); \
    }
FOR_EVERY_SEGMENT_REDUCTION(KERNEL)
