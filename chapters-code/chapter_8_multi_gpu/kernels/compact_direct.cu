// Compaction of an array that is spread over the devices, into equal parts of the result. Each device first counts what it
// selects, then tells all devices, and then stores every selected element to the device that holds its part of the result.
//
// predicate_f32(const f32* in, Pointers out, u64* selected, size_t n, Words words, int device, int devices)
// Launch: one per device, with its n elements; at most as many blocks of THREADS threads as the device holds at once.
// Selects what is at least 0. words: on every device two for each of MOST devices, then two for each of its blocks. They
// are 0 before the first launch. Launches on the same words have the same grid, and all launches of an epoch, one per device,
// have ended before one of the next begins. `selected` gets the number of elements that all devices select.
#define LAUNCH_BOUNDS __launch_bounds__(256, 4)
#include "../../chapter_1_reduce/kernels/block_reduce.cuh"
#include "../../chapter_4_compact/kernels/selected.cuh"
#include "words.cuh"

constexpr unsigned THREADS = 256;
constexpr unsigned ROWS = 8;

using Quads = Selected<f32, ROWS>;
constexpr unsigned TILE = THREADS / 32 * Quads::ITEMS;

// ANCHOR: parts
// The result, in equal parts.
struct Parts {
    const Pointers& of;
    size_t each;

    // Stores an element. `owner` is the device that holds an earlier one, at least.
    __device__ void put(size_t i, f32 x, int owner) const {
        while (i >= (owner + 1) * each) {
            owner++;
        }
        of.of[owner][i - owner * each] = x;
    }
};
// ANCHOR_END: parts

// ANCHOR: counts
// The number of elements that come before a block's own, and that all devices select.
struct Before64 {
    i64 block, all;
};

// The slots of a device's blocks, behind those of the devices.
__device__ u64* slots_of_blocks(const Words& words, int device) {
    return words.of[device] + MOST * WORDS<i64>;
}

// Tells what the block selects, and waits for the blocks before, and for all devices. The last block tells what its
// device selects.
__device__ Before64 exchange(i64 own, const Words& words, int device, int devices, u32 epoch) {
    using Op = Sum<i64>;
    u64* of_devices = words.of[device];
    u64* of_blocks = slots_of_blocks(words, device);
    if (threadIdx.x == 0) {
        send(of_blocks + blockIdx.x * WORDS<i64>, own, epoch);
    }
    i64 x = 0;
    for (unsigned b = threadIdx.x; b < blockIdx.x; b += THREADS) {
        x += receive<i64>(of_blocks + b * WORDS<i64>, epoch);
    }
    x = block_reduce<Op>(x);
    __shared__ Before64 before;
    if (threadIdx.x == 0) {
        if (blockIdx.x == gridDim.x - 1) {
            for (int d = 0; d < devices; d++) {
                send(words.of[d] + device * WORDS<i64>, x + own, epoch);
            }
        }
        before = {x, 0};
        for (int d = 0; d < devices; d++) {
            i64 theirs = receive<i64>(of_devices + d * WORDS<i64>, epoch);
            before.block += d < device ? theirs : 0;
            before.all += theirs;
        }
    }
    __syncthreads();
    return before;
}
// ANCHOR_END: counts

extern "C" __global__ void LAUNCH_BOUNDS predicate_f32(
    const f32* in, const __grid_constant__ Pointers out, u64* selected, size_t n,
    const __grid_constant__ Words words, int device, int devices) {
    __shared__ f32 stage[TILE];
    __shared__ u32 aggregates[32];
    // The block's own slot still has the tag of the launch before.
    u64* own_slot = slots_of_blocks(words, device) + blockIdx.x * WORDS<i64>;
    u32 epoch = epoch_after(tag_of<i64>(own_slot));
    Predicate<f32> by(Choice{nullptr, 0}); // at least 0
    size_t tiles = (n + TILE - 1) / TILE, each = (tiles + gridDim.x - 1) / gridDim.x;
    size_t begin = min(blockIdx.x * each, tiles), end = min(begin + each, tiles);
    auto first = [](size_t tile) { return (tile * (THREADS / 32) + warp_id()) * Quads::ITEMS; };
    Quads quads;

    // ANCHOR: direct
    i64 count = 0;
    for (size_t t = end; t-- > begin;) {
        quads.load(in, first(t), n, by);
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            count += __popc(quads.selected[r]);
        }
    }
    count = block_reduce<Sum<i64>>(count);
    __syncthreads();
    Before64 before = exchange(count, words, device, devices, epoch);

    Parts parts{out, size_t(before.all + devices - 1) / devices};
    size_t index = before.block;
    for (size_t t = begin; t < end; t++) {
        quads.load(in, first(t), n, by);
        Before<u32> warps = scan_warps<Sum<u32>>(aggregates, quads.count());
        quads.each_selected([&](u32 i, f32 x) { stage[warps.warp + i] = x; });
        __syncthreads();
        int owner = warps.block_aggregate > 0 ? int(index / parts.each) : 0;
        for (u32 i = threadIdx.x; i < warps.block_aggregate; i += THREADS) {
            parts.put(index + i, stage[i], owner);
        }
        index += warps.block_aggregate;
        __syncthreads(); // before the next tile is staged
    }
    // ANCHOR_END: direct
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *selected = before.all;
    }
}
