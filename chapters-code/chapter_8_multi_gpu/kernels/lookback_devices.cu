// The scan of an array that is spread over the devices, in one pass: chapter 3's decoupled look-back, which goes on over
// the tiles of the devices before. A word's tag holds the number of the launch, so that no word is ever reset.
//
// sum_<dtype>(const dtype* in, dtype* out, size_t n, Words status, unsigned* counter, int device, unsigned per_device)
// Launch: one per device that has elements, with its n of them; ceil(n * sizeof(dtype) / 65536) blocks of THREADS
// threads. Every device before has `per_device` tiles. counter: 0 before every launch. status: WORDS for each of
// `per_device` tiles, on every device, which are 0 before the first launch. Launches on the same words have the same grid,
// and all launches of an epoch, one per device, have ended before one of the next begins.
#define LAUNCH_BOUNDS __launch_bounds__(512, 2)
#include "../../chapter_3_scan/kernels/warp_chunk.cuh"
#include "words.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned ROWS = 8;

// ANCHOR: tiles
// The tiles of all devices, one after another.
template <typename T> struct Tiles {
    const Words& status;
    u32 per_device;

    __device__ u64* slot(u32 tile) const {
        return status.of[tile / per_device] + tile % per_device * size_t(WORDS<T>);
    }
};

// A tag: is the value the tile's aggregate, or that of the tile and of all before it? An epoch has 31 bits.
__device__ inline u32 aggregate_of(u32 epoch) { return 2 * epoch; }
__device__ inline u32 prefix_of(u32 epoch) { return 2 * epoch + 1; }
// ANCHOR_END: tiles

// ANCHOR: look_back
// As chapter 3's look_back: one warp, 32 tiles at a time. But a tile may be another device's.
template <typename Op, typename T> __device__ T look_back(const Tiles<T>& tiles, u32 tile, u32 epoch) {
    T prefix = Op::identity();
    for (long long last = (long long)tile - 1;; last -= 32) {
        long long mine = last - 31 + lane_id();
        unsigned known, nearest, needed;
        Tagged<T> seen(Op::identity(), prefix_of(epoch)); // before the first tile lies nothing
        do {
            if (mine >= 0) {
                seen = look_at<T>(tiles.slot(u32(mine)));
            }
            known = __ballot_sync(ALL_LANES, seen.is_whole() && seen.tag() / 2 == epoch);
            nearest = __ballot_sync(ALL_LANES, seen.is_whole() && seen.tag() == prefix_of(epoch));
            needed = nearest == 0 ? ALL_LANES : ALL_LANES << (31 - __clz(nearest));
        } while ((known & needed) != needed);
        bool counts = needed >> lane_id() & 1;
        T window = warp_scan<Op>(counts ? seen.value() : Op::identity());
        prefix = Op::combine(__shfl_sync(ALL_LANES, window, 31), prefix);
        if (nearest != 0) {
            return prefix;
        }
    }
}
// ANCHOR_END: look_back

template <typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, const Tiles<T>& tiles, u32 first_tile,
                     unsigned* counter) {
    __shared__ T aggregates[32];
    __shared__ T before_tile;
    __shared__ unsigned next;
    if (threadIdx.x == 0) {
        next = atomicAdd(counter, 1);
    }
    __syncthreads();
    unsigned own = next; // of this device's tiles
    size_t first = size_t(own) * THREADS * ROWS + warp_id() * 32 * ROWS;
    WarpChunk<T, ROWS> chunk;
    chunk.template load<Op>({const_cast<T*>(in), n}, first);
    // ANCHOR: epoch
    u32 tile = first_tile + own; // of the tiles of all devices
    u64* slot = tiles.slot(tile);
    // The tile's word still has the prefix of the launch before.
    u32 epoch = warp_id() == 0 ? epoch_after(tag_of<T>(slot) / 2) : 0;
    // ANCHOR_END: epoch
    T before[ROWS];
    T aggregate = chunk.template scan<Op>(before);
    Before<T> warps = scan_warps<Op>(aggregates, aggregate);
    // ANCHOR: publish
    if (warp_id() == 0) {
        if (lane_id() == 0) {
            u32 tag = tile == 0 ? prefix_of(epoch) : aggregate_of(epoch);
            send(slot, warps.block_aggregate, tag);
        }
        T prefix = look_back<Op, T>(tiles, tile, epoch);
        if (lane_id() == 0) {
            send(slot, Op::combine(prefix, warps.block_aggregate), prefix_of(epoch));
            before_tile = prefix;
        }
    }
    __syncthreads();
    // ANCHOR_END: publish
    T prefix = Op::combine(before_tile, warps.warp);
    chunk.template store<Kind::Inclusive, Op>({out, n}, first, prefix, before);
}

#define KERNEL(name, Op, dtype)                                                                    \
    extern "C" __global__ void LAUNCH_BOUNDS name##_##dtype(                                       \
        const dtype* in, dtype* out, size_t n, const __grid_constant__ Words status,               \
        unsigned* counter, int device, unsigned per_device) {                                      \
        Tiles<dtype> tiles{status, per_device};                                                    \
        scan<Op<dtype>>(in, out, n, tiles, device * per_device, counter);                          \
    }
KERNEL(sum, Sum, f32)
KERNEL(sum, Sum, i64)
