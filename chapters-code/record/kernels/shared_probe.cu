// One shared-memory instruction of a chosen width, by one warp, at addresses that a table gives:
// what the hardware counts for it tells how it serves the lanes.
//
// <op><bytes>(const unsigned* offsets, unsigned* out): lane l accesses `bytes` bytes at byte
// offsets[l], REPEATS times. Offsets are multiples of `bytes`, below 32 KiB.
// Launch: one block of 32 threads.
constexpr unsigned REPEATS = 16;

#define SHARED extern __shared__ __align__(16) unsigned char shared[];
#define ADDRESS(l) ((unsigned)__cvta_generic_to_shared(shared) + offsets[l])

// Volatile, so that all of them are executed.
extern "C" __global__ void load4(const unsigned* offsets, unsigned* out) {
    SHARED
    unsigned at = ADDRESS(threadIdx.x), x, sum = 0;
#pragma unroll
    for (unsigned k = 0; k < REPEATS; k++) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
        sum += x;
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void load8(const unsigned* offsets, unsigned* out) {
    SHARED
    unsigned at = ADDRESS(threadIdx.x), x, y, sum = 0;
#pragma unroll
    for (unsigned k = 0; k < REPEATS; k++) {
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at) : "memory");
        sum += x + y;
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void load16(const unsigned* offsets, unsigned* out) {
    SHARED
    unsigned at = ADDRESS(threadIdx.x), x, y, z, w, sum = 0;
#pragma unroll
    for (unsigned k = 0; k < REPEATS; k++) {
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "r"(at)
                     : "memory");
        sum += x + y + z + w;
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void store4(const unsigned* offsets, unsigned* out) {
    SHARED
    unsigned at = ADDRESS(threadIdx.x);
#pragma unroll
    for (unsigned k = 0; k < REPEATS; k++) {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(k) : "memory");
    }
    out[threadIdx.x] = at;
}

extern "C" __global__ void store8(const unsigned* offsets, unsigned* out) {
    SHARED
    unsigned at = ADDRESS(threadIdx.x);
#pragma unroll
    for (unsigned k = 0; k < REPEATS; k++) {
        asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(at), "r"(k) : "memory");
    }
    out[threadIdx.x] = at;
}

extern "C" __global__ void store16(const unsigned* offsets, unsigned* out) {
    SHARED
    unsigned at = ADDRESS(threadIdx.x);
#pragma unroll
    for (unsigned k = 0; k < REPEATS; k++) {
        asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(k) : "memory");
    }
    out[threadIdx.x] = at;
}

// Atomics: with the old value used, and without; integer and floating.
extern "C" __global__ void atom4(const unsigned* offsets, unsigned* out) {
    SHARED
    unsigned at = ADDRESS(threadIdx.x), x, sum = 0;
#pragma unroll
    for (unsigned k = 0; k < REPEATS; k++) {
        asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                     : "=r"(x)
                     : "r"(at), "r"(k + threadIdx.x)
                     : "memory");
        sum += x;
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void red4(const unsigned* offsets, unsigned* out) {
    SHARED
    unsigned at = ADDRESS(threadIdx.x);
#pragma unroll
    for (unsigned k = 0; k < REPEATS; k++) {
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(k + threadIdx.x) : "memory");
    }
    out[threadIdx.x] = at;
}

extern "C" __global__ void count4(const unsigned* offsets, unsigned* out) {
    SHARED
    unsigned at = ADDRESS(threadIdx.x);
#pragma unroll
    for (unsigned k = 0; k < REPEATS; k++) {
        asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory");
    }
    out[threadIdx.x] = at;
}
