// One shared-memory instruction by one warp, at addresses that a table gives: what the hardware
// counts for it tells how it serves the lanes.
//
// <op>(const unsigned* offsets, unsigned* out, unsigned step): lane l accesses byte offsets[l] of
// shared memory, REPEATS times; a lane whose offset is ABSENT takes no part. Offsets are multiples of
// the access's width, below 32 KiB.
// There is no 64-bit minimum or maximum: their machine code is a loop that tries only where it would
// change memory, whose contents a probe does not set.
// Launch: one block of 32 threads.
constexpr unsigned REPEATS = 16;
constexpr unsigned ABSENT = 0xffffffff;

typedef unsigned long long u64;

// `step` is 0, which the compiler cannot know: otherwise it would merge equal loads, and drop stores
// that a later one overwrites.
#define PROBE(name, ...)                                                                           \
    extern "C" __global__ void name(const unsigned* offsets, unsigned* out, unsigned step) {       \
        extern __shared__ __align__(16) unsigned char shared[];                                    \
        unsigned offset = offsets[threadIdx.x], sum = 0;                                           \
        if (offset == ABSENT) return;                                                              \
        unsigned at = (unsigned)__cvta_generic_to_shared(shared) + offset;                         \
        _Pragma("unroll") for (unsigned k = 0; k < REPEATS; k++, at += step) __VA_ARGS__;          \
        out[threadIdx.x] = sum + at;                                                               \
    }

// With the old value used, and without.
#define ATOM(name, op, type, constraint, value)                                                    \
    PROBE(atom_##name, {                                                                           \
        type x;                                                                                    \
        asm volatile("atom.shared." op " %0, [%1], %2;"                                            \
                     : "=" constraint(x)                                                           \
                     : "r"(at), constraint(value)                                                  \
                     : "memory");                                                                  \
        sum += (unsigned)x;                                                                        \
    })
#define RED(name, op, type, constraint, value)                                                     \
    PROBE(red_##name, {                                                                            \
        asm volatile("red.shared." op " [%0], %1;" ::"r"(at), constraint(value) : "memory");       \
    })
#define BOTH(name, op, type, constraint, value)                                                    \
    ATOM(name, op, type, constraint, value)                                                        \
    RED(name, op, type, constraint, value)

PROBE(load_u8, {
    unsigned x;
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
    sum += x;
})
PROBE(load_u16, {
    unsigned short x;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(x) : "r"(at) : "memory");
    sum += x;
})
PROBE(load_u32, {
    unsigned x;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
    sum += x;
})
PROBE(load_v2, {
    unsigned x, y;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at) : "memory");
    sum += x + y;
})
PROBE(load_v4, {
    unsigned x, y, z, w;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                 : "r"(at)
                 : "memory");
    sum += x + y + z + w;
})
PROBE(store_u8, { asm volatile("st.shared.u8 [%0], %1;" ::"r"(at), "r"(k) : "memory"); })
PROBE(store_u16, { asm volatile("st.shared.u16 [%0], %1;" ::"r"(at), "h"((short)k) : "memory"); })
PROBE(store_u32, { asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(k) : "memory"); })
PROBE(store_v2, { asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(at), "r"(k) : "memory"); })
PROBE(store_v4, {
    asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(k) : "memory");
})

BOTH(add_u32, "add.u32", unsigned, "r", k + threadIdx.x)
BOTH(min_s32, "min.s32", int, "r", k - threadIdx.x)
BOTH(or_b32, "or.b32", unsigned, "r", 1u << (k + threadIdx.x & 31))
BOTH(inc_u32, "inc.u32", unsigned, "r", 1000 + threadIdx.x)
BOTH(add_u64, "add.u64", u64, "l", u64(k + threadIdx.x))
BOTH(add_f32, "add.f32", float, "f", float(k + threadIdx.x))
BOTH(add_f64, "add.f64", double, "d", double(k + threadIdx.x))
BOTH(add_f16x2, "add.noftz.f16x2", unsigned, "r", 0x3c003c00 + k)
BOTH(count, "add.u32", unsigned, "r", 1)
ATOM(exch_b32, "exch.b32", unsigned, "r", k + threadIdx.x)
ATOM(exch_b64, "exch.b64", u64, "l", u64(k + threadIdx.x))

PROBE(atom_cas_b32, {
    unsigned x;
    asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(x)
                 : "r"(at), "r"(k), "r"(k + threadIdx.x)
                 : "memory");
    sum += x;
})
PROBE(atom_cas_b64, {
    u64 x;
    asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(x)
                 : "r"(at), "l"(u64(k)), "l"(u64(k + threadIdx.x))
                 : "memory");
    sum += (unsigned)x;
})
