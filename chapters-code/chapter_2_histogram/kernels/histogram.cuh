// What the kernels of this chapter share: key types, bins, the counter of a key, and the macro that
// gives each template its entry points.
//
// An entry point is called histogram_<dtype>. Its counters are 32 bits wide: the m bins first, then
// three for the keys that have no bin.
#pragma once

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using f32 = float;

// ANCHOR: counter_of
// The bins, as a launch passes them by value.
struct Bins {
    u32 count;            // m
    f32 low, high, scale; // for f32 keys: the range [low, high), and m / (high - low)
};

// Counters behind the bins: keys above the last bin, keys below the first, and NaN.
constexpr u32 EXTRA = 3;

// The counter of an integer key: its bin, or the first counter behind the bins.
template <typename T> __device__ u32 counter_of(T key, const Bins& bins) {
    return min(u32(key), bins.count);
}

// The counter of a float. A value just below `high` may be rounded up to m; it belongs to the last
// bin all the same.
template <> __device__ inline u32 counter_of(f32 x, const Bins& bins) {
    u32 bin = min(__float2uint_rz((x - bins.low) * bins.scale), bins.count - 1);
    u32 counter = x < bins.high ? bin : bins.count;
    counter = x < bins.low ? bins.count + 1 : counter;
    return x == x ? counter : bins.count + 2;
}
// ANCHOR_END: counter_of

// The block's dynamic shared memory; the launch sets its size.
extern __shared__ __align__(16) u32 counters[];

#define FOR_EACH_KEY(M) M(u8) M(u16) M(u32) M(f32)

// The signature that the ladder has in common. The file defines count<T>.
#define HISTOGRAM_KERNEL(dtype) \
    extern "C" __global__ void histogram_##dtype(const dtype* __restrict__ in, u32* out, size_t n, \
                                                 Bins bins) { \
        count(in, out, n, bins); \
    }
