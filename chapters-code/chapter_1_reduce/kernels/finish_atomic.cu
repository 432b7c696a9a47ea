// Finishing across blocks, 2: every block combines its result into the output with one atomic.
//
// One launch, no partials, no second pass. But the blocks arrive in whatever order the machine
// runs them, so a floating-point sum may differ from run to run; atomicAdd on f32 in global memory
// flushes denormals to zero; and the output must hold the identity before the kernel starts.
// Where the hardware has no such atomic, a loop around compare-and-swap makes one.
//
// <op>_<dtype>(const dtype* in, Acc* out, size_t n): out[0] must hold the identity
// Launch: min(ceil(n / block), what the device holds at once) blocks (at least 1), block a multiple
// of 32 up to 1024, no dynamic shared memory.
//
// identity_<op>_<acc>(Acc* out): writes the identity to out[0]
// Launch: 1 block of 1 thread.
#include "block_reduce.cuh"

// Any operator: read, combine, and swap in the result if no other thread was faster.
__device__ inline u32 to_bits(f32 x) { return __float_as_uint(x); }
__device__ inline unsigned long long to_bits(f64 x) { return __double_as_longlong(x); }
__device__ inline f32 from_bits(u32 x) { return __uint_as_float(x); }
__device__ inline f64 from_bits(unsigned long long x) { return __longlong_as_double(x); }

// ANCHOR: compare_and_swap
template <typename Op, typename A> struct Atomic {
    static __device__ void combine(A* address, A x) {
        using Bits = decltype(to_bits(x));
        Bits* word = reinterpret_cast<Bits*>(address);
        // volatile: a plain read would race with the other blocks' swaps.
        Bits seen = *const_cast<volatile Bits*>(word);
        Bits assumed;
        do {
            assumed = seen;
            seen = atomicCAS(word, assumed, to_bits(Op::combine(from_bits(assumed), x)));
        } while (seen != assumed);
    }
};
// ANCHOR_END: compare_and_swap

// What the hardware has.
template <typename A> struct Atomic<Sum<A>, A> {
    static __device__ void combine(A* address, A x) { atomicAdd(address, x); }
};
template <> struct Atomic<Sum<i64>, i64> { // two's complement: the unsigned addition is the same
    static __device__ void combine(i64* address, i64 x) {
        atomicAdd(reinterpret_cast<unsigned long long*>(address), (unsigned long long)x);
    }
};
#define INTEGER_ATOMICS(A) \
    template <> struct Atomic<Max<A>, A> { \
        static __device__ void combine(A* address, A x) { atomicMax(address, x); } \
    }; \
    template <> struct Atomic<Min<A>, A> { \
        static __device__ void combine(A* address, A x) { atomicMin(address, x); } \
    };
INTEGER_ATOMICS(i32)
INTEGER_ATOMICS(u32)
INTEGER_ATOMICS(i64)

// f32 has no atomic maximum, but its bits are ordered: as signed integers from +0 up, and
// backwards, as unsigned ones, below. A NaN never gets here, because combine drops it.
template <> struct Atomic<Max<f32>, f32> {
    static __device__ void combine(f32* address, f32 x) {
        if (__float_as_int(x) >= 0) {
            atomicMax(reinterpret_cast<i32*>(address), __float_as_int(x));
        } else {
            atomicMin(reinterpret_cast<u32*>(address), __float_as_uint(x));
        }
    }
};
template <> struct Atomic<Min<f32>, f32> {
    static __device__ void combine(f32* address, f32 x) {
        if (__float_as_int(x) >= 0) {
            atomicMin(reinterpret_cast<i32*>(address), __float_as_int(x));
        } else {
            atomicMax(reinterpret_cast<u32*>(address), __float_as_uint(x));
        }
    }
};

template <typename Op, typename T> __device__ void reduce(const T* in, Acc<T>* out, size_t n) {
    size_t grid = size_t(gridDim.x) * blockDim.x;
    Acc<T> x = Op::identity();
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += grid) {
        x = Op::combine(x, widen(in[i]));
    }
    x = block_reduce<Op>(x);
    if (threadIdx.x == 0) {
        Atomic<Op, Acc<T>>::combine(out, x);
    }
}

#define IDENTITY_KERNEL(name, Op, dtype) \
    extern "C" __global__ void identity_##name##_##dtype(dtype* out) { \
        out[0] = Op<dtype>::identity(); \
    }
#define IDENTITY_KERNELS(name, Op) \
    IDENTITY_KERNEL(name, Op, i32) IDENTITY_KERNEL(name, Op, u32) \
    IDENTITY_KERNEL(name, Op, i64) IDENTITY_KERNEL(name, Op, f32) IDENTITY_KERNEL(name, Op, f64)

FOR_EVERY_REDUCTION(REDUCE_KERNEL)
IDENTITY_KERNELS(sum, Sum)
IDENTITY_KERNELS(max, Max)
IDENTITY_KERNELS(min, Min)
