// f16 and bf16, alone and in pairs: arithmetic, comparisons, conversions, functions.
// ptx: compute_80
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void halves(const __half* a, const __half* b, __half* out, int* ints, float* f) {
  int t = threadIdx.x;
  __half x = a[t], y = b[t];
  __half r = __hadd(x, y) * __hsub(x, y) + __hfma(x, y, x) - __hadd_sat(x, y);
  r = __hmax(r, x); r = __hmin(r, y); r = __hneg(r); r = __habs(r); r = __hdiv(r, y);
  if (__hgt(x, y) && !__hisnan(r)) r = hexp(r) + hsqrt(x) + hlog2(y) + hrcp(x) + hsin(y);
  out[t] = r;
  ints[t] = __half2int_rn(x) + __half2int_rz(y) + (short)__half2short_rd(x) + (unsigned)__half2ushort_ru(y) + (int)__half2ll_rn(x);
  f[t] = __half2float(x) + (float)__int2half_rn(t) + __half2float(__double2half(f[t])) + __half2float(hrint(x)) + __half2float(hfloor(y));
}
extern "C" __global__ void pairs(const __half2* a, const __half2* b, __half2* out, float2* f) {
  int t = threadIdx.x;
  __half2 x = a[t], y = b[t];
  __half2 r = __hadd2(x, y); r = __hmul2(r, x); r = __hfma2(r, x, y); r = __hmax2(r, y); r = __hmin2_nan(r, x); r = __hneg2(r); r = __habs2(r);
  r = __hfma2_relu(r, x, y); r = __hadd2(r, __heq2(x, y)); r = __hadd2(r, __hltu2(x, y)); r = __h2div(r, y); r = h2exp2(r);
  out[t] = __lowhigh2highlow(r);
  f[t] = __half22float2(__floats2half2_rn(f[t].x, f[t].y));
  if (__hbeq2(x, y)) out[t + 1] = __half2half2(__low2half(x));
}
extern "C" __global__ void brain(const __nv_bfloat16* a, const __nv_bfloat162* b, __nv_bfloat16* out, __nv_bfloat162* out2, float* f) {
  int t = threadIdx.x;
  __nv_bfloat16 x = a[t], y = a[t + 1];
  __nv_bfloat16 r = __hadd(x, y); r = __hmul(r, y); r = __hfma(r, x, y); r = __hmax(r, x); r = __hneg(r); r = __habs(r);
  if (__hlt(x, y)) r = hexp2(r);
  out[t] = r;
  __nv_bfloat162 p = b[t], q = __hadd2(p, p);
  q = __hfma2(p, q, p); q = __hmax2(q, p); q = __hadd2(q, __hgt2(p, q));
  out2[t] = __floats2bfloat162_rn(f[t], f[t + 1]);
  out2[t + 1] = q;
  f[t] = __bfloat162float(x) + __low2float(q) + __bfloat162int_rn(y);
}
