// The sum of an array that is spread over the devices. Each device adds its part as in chapter 1, and its last block sends
// the sum to the first device in one word with the number of the launch. The last block of the first device adds the
// devices' sums. The host neither records an event nor copies anything.
//
// sum_<dtype>(const dtype* in, size_t n, dtype* out, dtype* partials, unsigned* counter, Words words,
//             Launches launches, int device, int devices)
// Launch: one per device, with its n elements, in the order of the devices; any number of blocks of THREADS threads. in:
// 16-byte aligned. partials: one per block; counter: 0 before the first launch, and again after every launch. words: WORDS
// per device and WORDS for the start, on every device; `launches` has a word per block: all are 0 before the first launch. Only
// the first device writes out[0].
#define LAUNCH_BOUNDS __launch_bounds__(512, 4)
#include "../../chapter_1_reduce/kernels/last_block.cuh"
#include "../../chapter_1_reduce/kernels/pack.cuh"
#include "words.cuh"

constexpr unsigned THREADS = 512;
constexpr unsigned LOADS = 4;
constexpr unsigned TILE = THREADS * LOADS; // in packs

// A thread's elements: chapter 1's single_pass_tiled.
template <typename Op, typename T> __device__ T reduce_tiles(const Packed<T>& data) {
    T x = Op::identity();
    size_t grid = size_t(gridDim.x) * TILE;
    for (size_t start = size_t(blockIdx.x) * TILE; start < data.pack_count; start += grid) {
        unsigned count = unsigned(min(data.pack_count - start, size_t(TILE)));
        Pack<T> pack[LOADS];
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            pack[k] = load_pack<T>(data.packs + start + min(k * THREADS + threadIdx.x, count - 1));
        }
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            T reduced = reduce_pack<Op>(pack[k]);
            x = Op::combine(x, k * THREADS + threadIdx.x < count ? reduced : Op::identity());
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < data.tail) {
        x = Op::combine(x, data.tail_start[threadIdx.x]);
    }
    return x;
}

// ANCHOR: start
// No device begins before the first one has. Then the launch before has ended there: its words have been read.
template <typename T> __device__ void start(const Words& words, int device, int devices, u32 epoch) {
    if (device == 0) {
        if (blockIdx.x == 0 && threadIdx.x < devices) {
            send(words.of[threadIdx.x] + MOST * WORDS<T>, T(0), epoch);
        }
    } else if (threadIdx.x == 0) {
        receive<T>(words.of[device] + MOST * WORDS<T>, epoch);
    }
    __syncthreads();
}
// ANCHOR_END: start

// ANCHOR: reduce
template <typename Op, typename T>
__device__ void reduce(const T* in, size_t n, T* out, T* partials, unsigned* counter,
                       const Words& words, Launches launches, int device, int devices) {
    u32 epoch = launches.epoch();
    start<T>(words, device, devices, epoch);
    launches.count(epoch);
    T x = block_reduce<Op>(reduce_tiles<Op>(Packed<T>(in, n)));

    // The block of this device that comes last adds what all of its blocks have found.
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = x;
        last = count_block(counter);
    }
    __syncthreads();
    if (!last) {
        return;
    }
    x = Op::identity();
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
        x = Op::combine(x, partials[i]);
    }
    x = block_reduce<Op>(x);

    // The sums of the devices are added in the order of the devices.
    if (threadIdx.x == 0) {
        send(words.of[0] + device * WORDS<T>, x, epoch);
        if (device == 0) {
            T sum = Op::identity();
            for (int d = 0; d < devices; ++d) {
                sum = Op::combine(sum, receive<T>(words.of[0] + d * WORDS<T>, epoch));
            }
            *out = sum;
        }
    }
}
// ANCHOR_END: reduce

#define KERNEL(name, Op, dtype)                                                                    \
    extern "C" __global__ void LAUNCH_BOUNDS name##_##dtype(                                       \
        const dtype* in, size_t n, dtype* out, dtype* partials, unsigned* counter,                 \
        const __grid_constant__ Words words, Launches launches, int device, int devices) {         \
        reduce<Op<dtype>>(in, n, out, partials, counter, words, launches, device, devices);        \
    }
KERNEL(sum, Sum, f32)
KERNEL(sum, Sum, i64)
