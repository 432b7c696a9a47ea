// Functions of f32 and f64, with their slow paths; division and remainder of every width.
extern "C" __global__ void singles(float* x) {
  float v = x[threadIdx.x];
  v = sinf(v) + cosf(v) + tanf(v); v = expf(v) + logf(v) + powf(v, 1.7f); v = sqrtf(v) + rsqrtf(v) + 1.f / v + v / 3.f;
  v = fminf(v, 2.f) + fmaxf(v, 3.f) + fabsf(v) + floorf(v) + ceilf(v) + rintf(v) + truncf(v) + roundf(v);
  v += __fadd_rz(v, 1.f) + __fmul_ru(v, 2.f) + __fdividef(v, 3.f) + __frcp_rd(v) + __fsqrt_rz(v) + __sinf(v) + __expf(v) + __log2f(v);
  v = fmaf(v, v, 1.f) + tanhf(v) + erff(v) + copysignf(v, -1.f) + fmodf(v, 3.f) + __saturatef(v) + ldexpf(v, 3) + hypotf(v, 4.f) + cbrtf(v);
  x[threadIdx.x] = isnan(v) ? 0.f : isfinite(v) ? v : 1.f;
}
extern "C" __global__ void doubles(double* x) {
  double v = x[threadIdx.x];
  v = sin(v) + cos(v); v = exp(v) + log(v) + pow(v, 1.7); v = sqrt(v) + rsqrt(v) + 1. / v + v / 3.;
  v = fmin(v, 2.) + fmax(v, 3.) + fabs(v) + floor(v) + rint(v) + tanh(v) + erf(v) + fma(v, v, 1.) + lgamma(v) + fmod(v, 3.);
  v += __dadd_rd(v, 1.) + __dmul_rz(v, 2.) + __drcp_ru(v) + copysign(v, -1.) + (double)__double2float_rz(v) + __hiloint2double(3, __double2loint(v));
  x[threadIdx.x] = v;
}
// NVRTC 12.0 only declares `__dp4a`, and leaves the call unresolved.
__device__ unsigned dot(unsigned a, unsigned b, unsigned c) {
  unsigned d; asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d;
}
__device__ int dot(int a, int b, int c) {
  int d; asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d;
}
extern "C" __global__ void integers(long long* l, unsigned long long* u, int* i, unsigned* v, short* s, unsigned char* b) {
  int t = threadIdx.x;
  l[t] = l[t] / l[t + 1] + l[t] % 7; u[t] = u[t] / u[t + 1] + u[t] % u[t + 2]; i[t] = i[t] / i[t + 1] + i[t] % i[t + 2];
  v[t] = v[t] / v[t + 1] + v[t] % 10; s[t] = s[t] / s[t + 1] * 3 + s[t] % s[t + 2]; b[t] = b[t] * b[t + 1] / 3;
  u[t] += __umul64hi(u[t], 7) + __popcll(u[t]) + __clzll(u[t]) + __brevll(u[t]) + __ffsll(u[t]) + (u[t] << (t & 63)) + __mul64hi(l[t], 9);
  v[t] += __umulhi(v[t], 7) + __popc(v[t]) + __clz(v[t]) + __brev(v[t]) + __ffs(v[t]) + __byte_perm(v[t], i[t], 0x3276) + __umul24(v[t], 3)
    + __funnelshift_l(v[t], 3, 5) + __funnelshift_rc(v[t], 3, 5) + __usad(v[t], 1, 2) + __vadd2(v[t], 3) + __vmaxs4(v[t], 3) + dot(v[t], 3u, 4u);
  i[t] += __mulhi(i[t], 7) + __sad(i[t], 1, 2) + __mul24(i[t], 3) + abs(i[t]) + min(i[t], 4) + max(s[t], (short)3) + (i[t] >> 3) + dot(i[t], 3, 4);
  l[t] += (long long)(signed char)l[t] + (short)i[t] + (long long)(float)l[t] + (unsigned char)(int)(float)b[t] + llabs(l[t]) + (l[t] >> 4);
}
