// The scan of an array that is spread over the devices. Each device first adds its part, then tells the later devices the
// sum, and then scans its part from what comes before it: it reads its elements twice and writes once. Blocks and devices
// hand each other sums in words with the number of the launch.
//
// sum_<dtype>(const dtype* in, dtype* out, size_t n, Words words, int device, int devices)
// Launch: one per device that has elements, with its n of them; at most as many blocks of THREADS threads as the device
// holds at once. words: on every device WORDS for each of MOST devices, then WORDS for each of its blocks. They are 0 before
// the first launch. Launches on the same words have the same grid, and all launches of an epoch, one per device, have ended
// before one of the next begins.
#define LAUNCH_BOUNDS __launch_bounds__(512, 2)
#include "../../chapter_1_reduce/kernels/block_reduce.cuh"
#include "../../chapter_3_scan/kernels/warp_chunk.cuh"
#include "words.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned ROWS = 4;

// A block's chunk of the part: tiles from `first` to before `end`.
template <typename T> struct Chunk {
    static constexpr unsigned TILE = THREADS * ROWS * Pack<T>::size; // in elements
    size_t first, end;

    __device__ explicit Chunk(size_t n) {
        size_t tiles = (n + TILE - 1) / TILE, each = (tiles + gridDim.x - 1) / gridDim.x;
        first = min(blockIdx.x * each, tiles);
        end = min(first + each, tiles);
    }
    static __device__ size_t pack_of(size_t tile) {
        return tile * THREADS * ROWS + warp_id() * 32 * ROWS;
    }
};

// ANCHOR: scan
template <typename Op, typename T>
__device__ void scan(const T* in, T* out, size_t n, const Words& words, int device, int devices) {
    // The block's own slot still has the tag of the launch before.
    u64* of_devices = words.of[device];
    u64* of_blocks = of_devices + MOST * WORDS<T>;
    u64* own_slot = of_blocks + blockIdx.x * WORDS<T>;
    u32 epoch = epoch_after(tag_of<T>(own_slot));

    Packs<T> from{const_cast<T*>(in), n};
    Chunk<T> chunk(n);
    WarpChunk<T, ROWS> tile;

    // The sum of the chunk. The first tile comes last: it may still be in the cache when it is read again.
    T x = Op::identity();
    for (size_t t = chunk.end; t-- > chunk.first;) {
        tile.template load<Op>(from, Chunk<T>::pack_of(t));
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            x = Op::combine(x, reduce_pack<Op>(tile.rows[r]));
        }
    }
    T own = block_reduce<Op>(x);

    // What comes before the chunk: the threads wait for the blocks before, then one of them for the devices before.
    if (threadIdx.x == 0) {
        send(own_slot, own, epoch);
    }
    x = Op::identity();
    for (unsigned b = threadIdx.x; b < blockIdx.x; b += THREADS) {
        x = Op::combine(x, receive<T>(of_blocks + b * WORDS<T>, epoch));
    }
    __syncthreads();
    T before = block_reduce<Op>(x);
    __shared__ T before_chunk;
    if (threadIdx.x == 0) {
        if (blockIdx.x == gridDim.x - 1) {
            for (int d = device + 1; d < devices; d++) {
                send(words.of[d] + device * WORDS<T>, Op::combine(before, own), epoch);
            }
        }
        T carry = Op::identity();
        for (int d = 0; d < device; d++) {
            carry = Op::combine(carry, receive<T>(of_devices + d * WORDS<T>, epoch));
        }
        before_chunk = Op::combine(carry, before);
    }
    __syncthreads();

    // The scan, from there.
    __shared__ T aggregates[2][32];
    T running = before_chunk;
    for (size_t t = chunk.first; t < chunk.end; t++) {
        tile.template load<Op>(from, Chunk<T>::pack_of(t));
        T before_row[ROWS];
        T aggregate = tile.template scan<Op>(before_row);
        Before<T> warps = scan_warps<Op>(aggregates[t % 2], aggregate);
        T prefix = Op::combine(running, warps.warp);
        tile.template store<Kind::Inclusive, Op>({out, n}, Chunk<T>::pack_of(t), prefix, before_row);
        running = Op::combine(running, warps.block_aggregate);
    }
}
// ANCHOR_END: scan

#define KERNEL(name, Op, dtype)                                                                    \
    extern "C" __global__ void LAUNCH_BOUNDS name##_##dtype(                                       \
        const dtype* in, dtype* out, size_t n, const __grid_constant__ Words words, int device,    \
        int devices) {                                                                             \
        scan<Op<dtype>>(in, out, n, words, device, devices);                                       \
    }
KERNEL(sum, Sum, f32)
KERNEL(sum, Sum, i64)
