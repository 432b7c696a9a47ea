// A kernel for each function or operator, so that every result can be compared by itself. A thread
// takes the element of its index.
#include <cuda_fp16.h>

#define UNARY(name, type, expression)                              \
    extern "C" __global__ void name(const type* in, type* out) {   \
        type x = in[threadIdx.x];                                  \
        out[threadIdx.x] = expression;                             \
    }

#define BINARY(name, type, expression)                                           \
    extern "C" __global__ void name(const type* a, const type* b, type* out) {   \
        type x = a[threadIdx.x], y = b[threadIdx.x];                             \
        out[threadIdx.x] = expression;                                           \
    }

UNARY(sin_f64, double, sin(x))
UNARY(cos_f64, double, cos(x))
UNARY(exp_f64, double, exp(x))
UNARY(log_f64, double, log(x))
UNARY(sqrt_f64, double, sqrt(x))
UNARY(cbrt_f64, double, cbrt(x))
UNARY(tanh_f64, double, tanh(x))
UNARY(rint_f64, double, rint(x))
BINARY(div_f64, double, x / y)
BINARY(pow_f64, double, pow(x, y))
BINARY(fmod_f64, double, fmod(x, y))
BINARY(atan2_f64, double, atan2(x, y))

UNARY(sin_f32, float, sinf(x))
UNARY(exp_f32, float, expf(x))
UNARY(log_f32, float, logf(x))
UNARY(sqrt_f32, float, sqrtf(x))
UNARY(erf_f32, float, erff(x))
BINARY(div_f32, float, x / y)
BINARY(pow_f32, float, powf(x, y))
BINARY(fmod_f32, float, fmodf(x, y))

typedef long long i64;
typedef unsigned long long u64;
typedef signed char i8;
BINARY(div_i64, i64, x / y)
BINARY(rem_i64, i64, x % y)
BINARY(div_u64, u64, x / y)
BINARY(rem_u64, u64, x % y)
BINARY(mul_high_u64, u64, __umul64hi(x, y))
BINARY(shift_u64, u64, (x << (y & 63)) ^ (x >> (y & 31)))
UNARY(counts_u64, u64, __popcll(x) + 100 * __clzll(x) + 10000 * __ffsll(x))
UNARY(seventh_i64, i64, x / 7 + x % 10)
BINARY(div_i32, int, x / y)
BINARY(rem_u32, unsigned, x % y)
BINARY(div_i16, short, x / y)
BINARY(mul_i8, i8, x * y)
BINARY(bytes_u32, unsigned, __byte_perm(x, y, 0x3276) ^ __funnelshift_l(x, y, 5) ^ __vadd4(x, y))

BINARY(add_f16, __half, __hadd(x, y))
BINARY(mul_f16, __half, __hmul(x, y))
BINARY(fma_f16, __half, __hfma(x, y, x))
BINARY(div_f16, __half, __hdiv(x, y))
BINARY(max_f16, __half, __hgt(x, y) ? x : y)
BINARY(add_f16x2, __half2, __hadd2(x, y))
